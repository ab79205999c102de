import type { UnknownPrompt } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** Prompts that code names and that are not kept here. */
export function UnknownPrompts({ prompts }: { prompts: UnknownPrompt[] }) {
  if (prompts.length === 0) return null
  return (
    <Notice
      title={prompts.length === 1 ? 'Traces name a prompt that is not here' : 'Traces name prompts that are not here'}
    >
      <ul>
        {prompts.map(({ name, traces, lastUsedAt }) => (
          <li key={name} className="wrap-anywhere">
            <bdi className="font-mono text-code font-semibold">{name}</bdi>: {countOf(traces, 'trace')}, last{' '}
            <RelativeTime time={lastUsedAt} />
          </li>
        ))}
      </ul>
      <p className="text-soft">Create them under these names, and they can be changed without a release.</p>
    </Notice>
  )
}
