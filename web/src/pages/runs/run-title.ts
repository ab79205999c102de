import type { OverviewEvaluation } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'

const sameYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const otherYear = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

interface NamedRun {
  name: string | null
  datasetName: string | undefined
  traceCount?: number
  createdAt: string
}

/** The name of a run. A run without one is known by its dataset, its number of cases and its time. */
export function runTitle({ name, datasetName = 'Run', traceCount, createdAt }: NamedRun): string {
  if (name?.trim()) return name
  const cases = traceCount === undefined ? [] : [casesText(traceCount)]
  return [datasetName, ...cases, formatTime(createdAt)].join(', ')
}

type NamedEvaluation = Pick<OverviewEvaluation, 'name' | 'run' | 'dataset' | 'createdAt'>

export function evaluationTitle({ name, run, dataset, createdAt }: NamedEvaluation): string {
  if (name?.trim()) return name
  return run ? `Evaluation of ${runTitle(run)}` : `Evaluation of ${dataset.name}, ${formatTime(createdAt)}`
}

export function casesText(count: number): string {
  return countOf(count, 'case')
}

export function formatTime(time: string): string {
  const date = new Date(time)
  return (date.getFullYear() === new Date().getFullYear() ? sameYear : otherYear).format(date)
}
