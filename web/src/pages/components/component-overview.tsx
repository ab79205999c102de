import { useQuery } from '@tanstack/react-query'
import type { ComponentOverview as Overview, OverviewInsight } from '../../api/generated/api.ts'
import { type Period, verdictQuery } from '../../api/overview-query.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { ActivityList } from './activity-list.tsx'
import { Card } from './card.tsx'
import { FirstSteps } from './first-steps.tsx'
import { GoodCard } from './good-card.tsx'
import { NeedsCard } from './needs-card.tsx'
import { TrendCard } from './trend-card.tsx'
import { VerdictSection } from './verdict-section.tsx'
import { WorkingCard } from './working-card.tsx'

interface ComponentOverviewProps {
  applicationId: string
  overview: Overview
  period: Period
}

export function ComponentOverview({ applicationId, overview, period }: ComponentOverviewProps) {
  const { component, good, datasets, activity } = overview
  const runs = comparedRuns(overview)
  const verdict = useQuery({
    ...verdictQuery(applicationId, component.id, runs ?? { baseline: '', candidate: '' }),
    enabled: runs !== undefined,
  })
  const compared = runs && verdict.data
  return (
    <div className="flex flex-col gap-6">
      <div className="grid items-stretch gap-4 md:grid-cols-2 rail:grid-cols-3">
        <WorkingCard working={overview.working} period={period} />
        <GoodCard good={good} comparison={compared} />
        <NeedsCard applicationId={applicationId} overview={overview} />
      </div>
      {overview.counts.datasets === 0 && overview.working.current.count > 0 && (
        <FirstSteps applicationId={applicationId} component={component} traceCount={overview.working.current.count} />
      )}
      {runs && (
        <VerdictSection
          applicationId={applicationId}
          componentId={component.id}
          query={verdict}
          good={good}
          hasPrompts={overview.counts.prompts > 0}
        />
      )}
      <div className="grid items-start gap-4 rail:grid-cols-[minmax(0,2fr)_minmax(280px,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          {good.history.length > 0 && <TrendCard good={good} />}
          {good.insights.length > 0 && (
            <Card title={good.evaluation?.run ? 'What goes wrong in the newest evaluation' : 'What goes wrong'}>
              <InsightList insights={good.insights} />
            </Card>
          )}
          <Card title="Datasets">
            <DatasetList datasets={datasets} total={overview.counts.datasets} />
          </Card>
        </div>
        <Card title="Recent">
          <ActivityList activity={activity} />
        </Card>
      </div>
    </div>
  )
}

/** The runs of the newest comparison and its items; without one, those of the two newest evaluations. */
function comparedRuns({ good: { evaluation, previous, comparison } }: Overview) {
  const candidate = evaluation?.run?.id
  const stored = comparison?.candidate.id === candidate ? comparison : undefined
  const baseline = stored?.baseline.id ?? previous?.run?.id
  return baseline && candidate ? { baseline, candidate, ...(stored?.split && { split: stored.split }) } : undefined
}

interface DatasetListProps {
  datasets: Overview['datasets']
  /** The list has the newest ones only. */
  total: number
}

function DatasetList({ datasets, total }: DatasetListProps) {
  if (datasets.length === 0) return <p className="text-data text-soft">No dataset yet.</p>
  return (
    <ul className="flex flex-wrap gap-2 text-data">
      {datasets.map(({ id, name, itemCount }) => (
        <li key={id} className="max-w-full rounded-control border border-line px-2.5 py-1 break-words">
          {name} <span className="text-meta text-faint tabular-nums">{countOf(itemCount, 'item')}</span>
        </li>
      ))}
      {total > datasets.length && (
        <li className="px-1 py-1 text-faint">and {formatCount(total - datasets.length)} more</li>
      )}
    </ul>
  )
}

/** What rules found in the traces, without a model. */
function InsightList({ insights }: { insights: OverviewInsight[] }) {
  return (
    <ul className="text-data">
      {insights.map(({ type, title, description, affectedTraces }) => (
        <li key={`${type} ${title}`} className="border-t border-line py-2.5 first:border-t-0 first:pt-0 last:pb-0">
          <p className="flex flex-wrap items-baseline justify-between gap-x-4">
            <b className="font-semibold break-words">{title}</b>
            {affectedTraces !== null && (
              <span className="text-meta text-faint tabular-nums">{countOf(affectedTraces, 'trace')}</span>
            )}
          </p>
          <p className="text-soft break-words">{description}</p>
        </li>
      ))}
    </ul>
  )
}
