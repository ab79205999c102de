import type { OverviewEvaluation, OverviewRun } from '../../api/generated/api.ts'

const moments = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hour12: false,
})

/** A run without a name is known by its dataset and its time. */
export function runTitle({
  name,
  datasetName,
  createdAt,
}: Pick<OverviewRun, 'name' | 'datasetName' | 'createdAt'>): string {
  return name ?? `${datasetName}, ${moments.format(new Date(createdAt))}`
}

type NamedEvaluation = Pick<OverviewEvaluation, 'name' | 'run' | 'dataset' | 'createdAt'>

export function evaluationTitle({ name, run, dataset, createdAt }: NamedEvaluation): string {
  if (name !== null) return name
  return run
    ? `Evaluation of ${runTitle(run)}`
    : `Evaluation of ${dataset.name}, ${moments.format(new Date(createdAt))}`
}
