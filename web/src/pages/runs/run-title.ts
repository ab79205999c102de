import type { Run } from '../../api/generated/api.ts'
import { formatCount } from '../../ui/format-number.ts'

const sameYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const otherYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** The name of a run. A run without one is known by its dataset, its number of cases and its time. */
export function runTitle(run: Run, datasetName: string | undefined): string {
  return run.name || [datasetName ?? 'Run', casesText(run), runTime(run)].join(', ')
}

export function casesText({ traceCount }: Run): string {
  return traceCount === 1 ? '1 case' : `${formatCount(traceCount)} cases`
}

export function runTime({ createdAt }: Run): string {
  const date = new Date(createdAt)
  return (date.getFullYear() === new Date().getFullYear() ? sameYear : otherYear).format(date)
}
