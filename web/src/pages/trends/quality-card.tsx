import { Link } from '@tanstack/react-router'
import type { ComponentTrends, Dataset } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { TrendPlot } from '../../ui/charts/trend-plot.tsx'
import { countOf, formatMetric } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { evaluationTitle } from '../runs/run-title.ts'
import { measuredBy, metricNames, pointsOf } from './quality-points.ts'
import { TrendSelect } from './trend-select.tsx'
import { VersionList } from './version-list.tsx'

interface QualityCardProps {
  trends: ComponentTrends
  /** The metric in the address. */
  metric: string | undefined
  datasets: Dataset[]
  datasetId: string | undefined
  ids: { applicationId: string; componentId: string }
  onMetric: (name: string) => void
  onDataset: (id: string | undefined) => void
}

const LINKS_SHOWN = 8

/** A metric with its interval, evaluation by evaluation. */
export function QualityCard({ trends, metric, datasets, datasetId, ids, onMetric, onDataset }: QualityCardProps) {
  const names = metricNames(trends.evaluations)
  const name = names.find((known) => known === metric) ?? names[0]
  const measured = name === undefined ? [] : measuredBy(trends.evaluations, name)
  const points = pointsOf(measured)
  const versions = trends.versions.filter(({ kind }) => kind === 'run')
  const controls = (
    <span className="flex flex-wrap items-center gap-2">
      {datasets.length > 1 && (
        <TrendSelect
          label="Dataset"
          value={datasetId ?? ''}
          options={[
            { value: '', label: 'All datasets' },
            ...datasets.map((one) => ({ value: one.id, label: one.name })),
          ]}
          onChange={(id) => onDataset(id || undefined)}
        />
      )}
      {names.length > 1 && (
        <TrendSelect
          label="Metric"
          value={name ?? ''}
          options={names.map((value) => ({ value, label: metricTitle(value) }))}
          onChange={onMetric}
        />
      )}
    </span>
  )
  return (
    <section aria-label="Quality" className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift">
      {name === undefined ? (
        <div className="flex flex-wrap items-start justify-between gap-3">
          <div>
            <h3 className="text-body font-semibold">Quality</h3>
            <p className="mt-1 mb-3 text-data text-soft">No evaluation was completed in this period.</p>
            <Link
              to={pagePaths.newEvaluation(ids.applicationId, ids.componentId)}
              className={buttonClass('secondary', 'small')}
            >
              New evaluation
            </Link>
          </div>
          {controls}
        </div>
      ) : (
        <>
          <TrendPlot
            title={`Quality: ${metricTitle(name)}`}
            note="one point for each evaluation, 95 % intervals"
            points={points}
            format={formatMetric}
            actions={controls}
          />
          {trends.hasMoreEvaluations && (
            <p className="mt-2 text-meta text-soft">The newest 100 evaluations of the period are shown.</p>
          )}
          <p className="mt-3 flex flex-wrap gap-x-3 gap-y-1 text-meta text-faint">
            Open
            {measured.slice(-LINKS_SHOWN).map((evaluation) => (
              <Link
                key={evaluation.id}
                to={pagePaths.evaluation(ids.applicationId, ids.componentId, evaluation.id)}
                className="max-w-60 truncate rounded-sm text-soft underline decoration-edge underline-offset-3 touch-link hover:text-ink"
              >
                {evaluationTitle(evaluation)}
              </Link>
            ))}
            {measured.length > LINKS_SHOWN && (
              <span>and {countOf(measured.length - LINKS_SHOWN, 'older one', 'older ones')}</span>
            )}
          </p>
          <VersionList versions={versions} title="What changed between runs" ids={ids} />
        </>
      )}
    </section>
  )
}
