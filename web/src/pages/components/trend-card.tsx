import { useState } from 'react'
import type { ComponentOverview } from '../../api/generated/api.ts'
import { TrendPlot } from '../../ui/charts/trend-plot.tsx'
import { formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { runTitle } from '../runs/run-title.ts'
import { metricEstimate, sortHeadline } from './overview-metrics.ts'

const METRICS_SHOWN = 3
const LABEL_LENGTH = 12

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

type Good = ComponentOverview['good']

/** A metric by run, of the dataset that was evaluated last. */
export function TrendCard({ good: { evaluation, previous, history } }: { good: Good }) {
  const names = evaluation ? sortHeadline(evaluation).map(({ name }) => name) : []
  const [chosen, setChosen] = useState<string>()
  const name = names.find((known) => known === chosen) ?? names[0]
  if (!evaluation || name === undefined) return null
  const points = history.map((one, index) => {
    const metric = one.metrics.find((known) => known.name === name)
    return {
      label: uniqueLabel(history, index),
      date: days.format(new Date(one.createdAt)),
      estimate: metric ? metricEstimate(metric) : { summary: 'not measured' },
      ...(one.id === evaluation.id && previous ? { series: 'candidate' as const } : {}),
      ...(one.id === previous?.id ? { series: 'baseline' as const } : {}),
    }
  })
  return (
    <section aria-label="Metrics by run" className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift">
      <TrendPlot
        title={`${metricTitle(name)} by run`}
        note={`${evaluation.dataset.name}, 95 % intervals`}
        points={points}
        format={formatMetric}
        actions={
          names.length > 1 && (
            <Segmented
              label="Metric"
              value={name}
              options={names.slice(0, METRICS_SHOWN).map((value) => ({ value, label: metricTitle(value) }))}
              onChange={setChosen}
            />
          )
        }
      />
    </section>
  )
}

/** Points are known by their labels. */
function uniqueLabel(history: Good['history'], index: number): string {
  const labels = history.map(({ run, dataset }) => shorten(run ? runTitle(run) : dataset.name))
  const label = labels[index] ?? ''
  const same = labels.slice(0, index).filter((other) => other === label).length
  return same === 0 ? label : `${label} (${same + 1})`
}

function shorten(text: string): string {
  const characters = [...text]
  return characters.length > LABEL_LENGTH ? `${characters.slice(0, LABEL_LENGTH - 1).join('')}…` : text
}
