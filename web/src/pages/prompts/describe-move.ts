import type { PromptChange } from '../../api/generated/api.ts'
import { formatPercent } from '../../ui/format-number.ts'
import { splitsText } from './version-mark.tsx'

type Move = Pick<PromptChange, 'kind' | 'label' | 'before' | 'after'>

/** What happened to a label, in the words before and after the name of its prompt: "moved production of answer from v9 to v11". */
export function describeMove({ kind, label, before, after }: Move): [beforeName: string, afterName: string] {
  if (kind === 'rolledBack') return [`rolled back ${label} of`, `to ${splitsText(after)}`]
  if (kind === 'deleted' || after === null) return [`removed the label ${label} of`, '']
  if (before === null || before.length === 0) return [`pointed ${label} of`, `to ${splitsText(after)}`]
  const added = after.find(({ version }) => !before.some((other) => other.version === version))
  if (added && after.length > 1)
    return [`gave v${added.version} ${formatPercent(added.weight / 100)} of ${label} of`, '']
  return [`moved ${label} of`, `from ${splitsText(before)} to ${splitsText(after)}`]
}
