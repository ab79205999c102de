import type { PromptContent, PromptMessage } from '../../api/generated/api.ts'
import { DiffText } from '../../ui/diff-text/diff-text.tsx'
import { toolChanges } from './describe-tool.ts'
import { titleOf } from './message-card.tsx'
import { ToolChanges } from './tool-changes.tsx'

interface DraftDiffProps {
  before: PromptContent
  /** The name of the version before: "v5". */
  name: string
  draft: PromptContent
}

/** What the draft changes, message by message, in the order in which they are. */
export function DraftDiff({ before, name, draft }: DraftDiffProps) {
  const count = Math.max(before.messages.length, draft.messages.length)
  const rows = Array.from({ length: count }, (_, index) => ({
    number: index + 1,
    left: textOf(before.messages[index]),
    right: textOf(draft.messages[index]),
    title: nameOf(draft.messages[index] ?? before.messages[index]),
  })).filter(({ left, right }) => left !== right)
  const settings = [settingsOf(before), settingsOf(draft)] as const
  const tools = toolChanges(before.tools, draft.tools)
  const isSame = rows.length === 0 && tools.length === 0 && settings[0] === settings[1]
  return (
    <div className="flex flex-col gap-3">
      {rows.map(({ number, title, left, right }) => (
        <section
          key={number}
          aria-label={`Message ${number}`}
          className="rounded-card border border-line bg-surface px-4 py-3 shadow-lift"
        >
          <h3 className="mb-2 text-data font-semibold">
            Message {number}, {title}
          </h3>
          <DiffText baseline={left} candidate={right} baselineTitle={name} candidateTitle="Draft" />
        </section>
      ))}
      {tools.length > 0 && (
        <section
          aria-label="Changed tools"
          className="rounded-card border border-line bg-surface px-4 py-3 shadow-lift"
        >
          <h3 className="mb-2 text-data font-semibold">Tools</h3>
          <ToolChanges changes={tools} names={{ before: name, after: 'Draft' }} />
        </section>
      )}
      {settings[0] !== settings[1] && (
        <section
          aria-label="Model and parameters"
          className="rounded-card border border-line bg-surface px-4 py-3 shadow-lift"
        >
          <h3 className="mb-2 text-data font-semibold">Model and parameters</h3>
          <DiffText baseline={settings[0]} candidate={settings[1]} baselineTitle={name} candidateTitle="Draft" />
        </section>
      )}
      {isSame && <p className="text-data text-soft">The draft has exactly the text of {name}.</p>}
    </div>
  )
}

function textOf(message: PromptMessage | undefined): string {
  if (!message) return ''
  return 'placeholder' in message ? `Placeholder ${message.placeholder}` : message.content
}

function nameOf(message: PromptMessage | undefined): string {
  if (!message) return ''
  return 'placeholder' in message ? 'placeholder' : titleOf(message.role).toLowerCase()
}

/** Without the tools, which are shown by their names. */
function settingsOf({ messages, tools, ...settings }: PromptContent): string {
  const roles = messages.map((message) => ('role' in message ? message.role : 'placeholder'))
  return JSON.stringify({ roles, ...settings }, null, 2)
}
