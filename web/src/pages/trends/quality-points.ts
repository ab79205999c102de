import type { TrendEvaluation } from '../../api/generated/api.ts'
import type { TrendPoint } from '../../ui/charts/trend-plot.tsx'
import { countOf } from '../../ui/format-number.ts'
import { metricEstimate } from '../components/overview-metrics.ts'
import { runTitle } from '../runs/run-title.ts'

const LABEL_LENGTH = 12
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** The metrics that evaluations of the period measured, those of the newest evaluation first. */
export function metricNames(evaluations: readonly TrendEvaluation[]): string[] {
  const newestFirst = evaluations.toReversed()
  const headlines = newestFirst.flatMap(({ headline }) => headline ?? [])
  const names = newestFirst.flatMap(({ metrics }) => metrics.map(({ name }) => name))
  return [...new Set([...headlines.slice(0, 1), ...names])]
}

export type MeasuredEvaluation = TrendEvaluation & { metric: TrendEvaluation['metrics'][number] }

/** The evaluations that measured a metric, oldest first. */
export function measuredBy(evaluations: readonly TrendEvaluation[], name: string): MeasuredEvaluation[] {
  return evaluations.flatMap((evaluation) => {
    const metric = evaluation.metrics.find((known) => known.name === name)
    return metric ? { ...evaluation, metric } : []
  })
}

/** One point for each evaluation. The line is broken where two of them must not be compared. */
export function pointsOf(measured: readonly MeasuredEvaluation[]): TrendPoint[] {
  const labels = measured.map(({ run, dataset }) => shorten(run ? runTitle(run) : dataset.name))
  return measured.map((evaluation, index) => {
    const why = breakBefore(measured[index - 1], evaluation)
    return {
      label: uniqueLabel(labels, index),
      date: days.format(new Date(evaluation.createdAt)),
      estimate: metricEstimate(evaluation.metric),
      ...(why !== undefined && { breakBefore: why }),
    }
  })
}

/** Why two measurements must not be connected; undefined if they can be. */
function breakBefore(before: MeasuredEvaluation | undefined, now: MeasuredEvaluation): string | undefined {
  if (!before) return undefined
  if (before.dataset.id !== now.dataset.id) return `dataset ${now.dataset.name}`
  if (before.metric.settingsKey !== now.metric.settingsKey) return 'evaluator settings changed'
  if (before.items !== now.items) return `${countOf(Math.abs(now.items - before.items), 'item')} added`
  return undefined
}

/** Points are known by their labels. */
function uniqueLabel(labels: readonly string[], index: number): string {
  const label = labels[index] ?? ''
  const same = labels.slice(0, index).filter((other) => other === label).length
  return same === 0 ? label : `${label} (${same + 1})`
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length > LABEL_LENGTH ? `${characters.slice(0, LABEL_LENGTH - 1).join('')}…` : text
}
