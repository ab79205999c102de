import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { componentQuery } from '../../api/components-query.ts'
import { useLiveTrial } from '../../api/live-trial.ts'
import { datasetQuery } from '../../api/run-query.ts'
import { countEnded, useTrialProgress, withProgress } from '../../api/trial-progress.ts'
import { trialFailuresQuery, trialQuery } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { CopyLink } from '../shell/copy-link.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { CallFailures } from './call-failures.tsx'
import { CallsPart } from './calls-part.tsx'
import { CostFront } from './cost-front.tsx'
import { EarlyStopCard } from './early-stop-card.tsx'
import { LiveState } from './live-state.tsx'
import { NextSteps } from './next-steps.tsx'
import { TrialHeader } from './trial-header.tsx'
import { TrialHeadline } from './trial-headline.tsx'
import { TrialJson } from './trial-json.tsx'
import { TrialProgress } from './trial-progress-card.tsx'
import { useTrialSearch } from './trial-search.ts'
import { isOpen, trialTitle } from './trial-words.ts'
import { VariantTable } from './variant-table.tsx'
import { WaitingNotices } from './waiting-notices.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/trials/$trialId')

/** One trial: how far it is, what is decided, what each variant did and cost, and why calls have no answer. */
export function TrialPage() {
  const { applicationId, componentId, trialId } = route.useParams()
  const key = { applicationId, componentId, trialId }
  const { search, change } = useTrialSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: stored } = useSuspenseQuery(trialQuery(key))
  const dataset = useQuery(datasetQuery({ applicationId, componentId, datasetId: stored.datasetId }))
  const failures = useQuery(trialFailuresQuery(key))
  // The last calls of a trial that was stopped are skipped a moment later.
  const isSettled = !isOpen(stored) && countEnded(stored.progress) >= stored.progress.total
  const live = useTrialProgress(key, !isSettled)
  const trial = withProgress(stored, live.sent)
  useLiveTrial({ applicationId, calls: stored.progress.total, isSettled })
  const names = { title: trialTitle(trial), dataset: dataset.data?.name }
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Trials', to: pagePaths.trials(applicationId, componentId) },
        ]}
        current={names.title}
      >
        {!isSettled && <LiveState live={live} />}
        <CopyLink />
      </TopRow>
      <PageBody width="wide">
        <TrialHeader trialKey={key} trial={trial} names={names} failures={failures.data?.data} />
        {search.view === 'json' ? (
          <TrialJson componentId={componentId} trial={trial} onClose={() => change({ view: undefined }, 'push')} />
        ) : (
          <>
            <TrialProgress trial={trial} left={live.left} />
            <WaitingNotices trialKey={key} trial={trial} />
            {trial.looks ? (
              <div className="grid items-start gap-x-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
                <TrialHeadline trial={trial} />
                <div className="mt-8">
                  <EarlyStopCard trial={trial} looks={trial.looks} />
                </div>
              </div>
            ) : (
              <TrialHeadline trial={trial} />
            )}
            <NextSteps trialKey={key} trial={trial} />
            <VariantTable trialKey={key} trial={trial} />
            <CostFront trial={trial} />
            <CallsPart trialKey={key} trial={trial} />
            {failures.error ? (
              <div className="mt-8">
                <QueryError query={failures} />
              </div>
            ) : (
              failures.data && <CallFailures failures={failures.data.data} trialKey={key} trial={trial} />
            )}
          </>
        )}
      </PageBody>
    </>
  )
}
