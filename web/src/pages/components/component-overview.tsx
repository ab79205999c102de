import { useQuery } from '@tanstack/react-query'
import type { ComponentOverview as Overview } from '../../api/generated/api.ts'
import { type Period, verdictQuery } from '../../api/overview-query.ts'
import { ActivityList } from './activity-list.tsx'
import { Card } from './card.tsx'
import { DatasetList } from './dataset-list.tsx'
import { GoodCard } from './good-card.tsx'
import { InsightList } from './insight-list.tsx'
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
      {runs && <VerdictSection applicationId={applicationId} componentId={component.id} query={verdict} good={good} />}
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

/** The runs of the newest comparison; without one, those of the two newest evaluations. */
function comparedRuns({ good }: Overview): { baseline: string; candidate: string } | undefined {
  const candidate = good.evaluation?.run?.id
  const baseline = good.comparison?.candidate.id === candidate ? good.comparison?.baseline.id : good.previous?.run?.id
  return baseline && candidate ? { baseline, candidate } : undefined
}
