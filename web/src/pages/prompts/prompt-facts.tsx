import type { PromptMessage, PromptVersionRow } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Card } from '../components/card.tsx'
import { lastValues } from '../playground/last-values.ts'
import { readPlaygroundRecord, recordKey } from '../playground/playground-record.ts'
import { useMe } from '../shell/use-application.ts'
import { templateNames } from './template-text.tsx'

interface VariablesCardProps {
  messages: readonly PromptMessage[]
  /** What production serves, if it is another version. */
  live: PromptVersionRow | undefined
  promptId: string
}

/** The names that code must give values for, with what was typed for them in the playground. */
export function VariablesCard({ messages, live, promptId }: VariablesCardProps) {
  const { variables, placeholders } = templateNames(messages)
  const names = [...variables, ...placeholders]
  const before = live && [...live.variables, ...live.placeholders]
  const added = before ? names.filter((name) => !before.includes(name)) : []
  const last = lastValues(readPlaygroundRecord(recordKey(useMe().userId, promptId)), names)
  const removed = before ? before.filter((name) => !names.includes(name)) : []
  return (
    <Card title="Variables">
      {names.length === 0 && <p className="text-data text-soft">None: the text is always the same.</p>}
      <ul className="flex flex-col gap-1.5 text-data">
        {names.map((name) => (
          <li key={name} className="flex flex-wrap items-baseline gap-x-2">
            <bdi className="rounded-[4px] bg-info-wash px-1.5 font-mono text-code font-medium wrap-anywhere text-info">
              {name}
            </bdi>
            {Object.hasOwn(last, name) ? (
              <span className="min-w-0 flex-1 truncate text-soft">{last[name]}</span>
            ) : (
              <span className="text-soft">{placeholders.includes(name) ? 'a list of messages' : 'a text'}</span>
            )}
            {added.includes(name) && <span className="text-warn">new</span>}
          </li>
        ))}
      </ul>
      {Object.keys(last).length > 0 && (
        <p className="mt-3 text-meta text-faint">Values of your last try, kept on this device.</p>
      )}
      {live && (
        <p className={`mt-3 text-meta ${added.length + removed.length > 0 ? 'text-warn' : 'text-faint'}`}>
          {added.length + removed.length === 0 && `Same as v${live.number}, which is live: code needs no change.`}
          {added.length > 0 && `Code must give ${added.join(', ')} before this goes live. `}
          {removed.length > 0 && `No longer used: ${removed.join(', ')}.`}
        </p>
      )}
    </Card>
  )
}

/** How code reads the prompt. */
export function UseItCard({ name, label }: { name: string; label: string }) {
  const code = `await client.prompts.get(\n  ${JSON.stringify(name)},\n  { label: ${JSON.stringify(label)} },\n)`
  return (
    <Card title="Use it" action={<CopyButton text={code} label="Copy code" />}>
      <pre className="font-mono text-code wrap-anywhere whitespace-pre-wrap">
        <code>{code}</code>
      </pre>
      <p className="mt-2 text-meta text-faint">
        <a
          href={`${pagePaths.guide('prompts')}#clients`}
          className="touch-link underline underline-offset-4 hover:text-ink"
        >
          In TypeScript, Python and curl
        </a>
      </p>
    </Card>
  )
}
