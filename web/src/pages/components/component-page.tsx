import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { apiKey } from '../../api/api-query.ts'
import type { ComponentOverview as Overview } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { componentOverviewQuery, type Period } from '../../api/overview-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useHeldWhileHovered } from '../../ui/use-held-while-hovered.ts'
import { PeriodSelect } from '../overview/period-select.tsx'
import { TRACES_PAUSE_MS } from '../overview/use-live-summaries.ts'
import { runTitle } from '../runs/run-title.ts'
import { QueryError } from '../shell/query-error.tsx'
import { hasRole, missingRole } from '../shell/roles.ts'
import { ShowChanges } from '../shell/show-changes.tsx'
import { useMe } from '../shell/use-application.ts'
import { ComponentFrame } from './component-frame.tsx'
import { ComponentOverview } from './component-overview.tsx'
import { nextEvaluation } from './next-evaluation.ts'

/** What has a row of its own, in its order. */
function layoutOf(overview: Overview | undefined): string[] {
  if (!overview) return []
  const { needs, good, newestRun, activity } = overview
  return [
    ...needs.runs.map(({ id, remaining, openDisagreements }) => `${id} ${remaining > 0} ${openDisagreements > 0}`),
    ...needs.failedEvaluations.map(({ id }) => id),
    `${needs.failingTraces > 0} ${newestRun?.id} ${newestRun?.isEvaluated}`,
    `${good.evaluation?.id} ${good.previous?.id} ${good.insights.length} ${good.history.length}`,
    ...activity.map(({ kind, at }) => `${kind} ${at}`),
  ]
}

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId')

/** Whether the component works, how good it is, and what needs the user. */
export function ComponentPage() {
  const { applicationId, componentId } = route.useParams()
  const { period = '7d' } = route.useSearch()
  const navigate = useNavigate()
  const me = useMe()
  const query = useQuery(componentOverviewQuery(applicationId, componentId, period))
  const { error } = query
  const key = apiKey('/components/{componentId}/overview', applicationId)
  useLiveQuery(applicationId, ['runs', 'evaluations', 'annotations'], key)
  useLiveQuery(applicationId, ['traces'], key, { pauseMs: TRACES_PAUSE_MS })
  const view = `${componentId} ${period}`
  const held = useHeldWhileHovered(query.data, layoutOf(query.data), view)
  const overview = held.shown
  const newestRun = overview?.newestRun
  const path = pagePaths.component(applicationId, componentId)
  const show = (search: { period: Period }) => void navigate({ to: path, search, resetScroll: false })
  const evaluation = overview && nextEvaluation(applicationId, overview)
  const toRate = hasRole(me.role, 'annotator') ? overview?.needs.runs.find(({ remaining }) => remaining > 0) : undefined
  const disabledReason = missingRole(me, 'editor', 'Starting an evaluation')
  const ratePath = toRate && pagePaths.annotate(applicationId, componentId, toRate.id)
  useShortcut('evaluateRun', evaluation && !disabledReason ? () => void navigate(evaluation) : undefined)
  useShortcut('rateRun', ratePath === undefined ? undefined : () => void navigate({ to: ratePath }))
  const isEvaluationNext = newestRun?.isEvaluated === false
  return (
    <ComponentFrame
      applicationId={applicationId}
      componentId={componentId}
      top={
        <>
          {held.isOutdated && <ShowChanges onClick={held.release} />}
          <PeriodSelect value={period} onChange={(next) => show({ period: next })} />
        </>
      }
      actions={
        <>
          {ratePath !== undefined && !isEvaluationNext && (
            <Link to={ratePath} className={buttonClass('primary')}>
              Rate answers <ShortcutKeys id="rateRun" />
            </Link>
          )}
          {newestRun && (
            <Button
              look={isEvaluationNext ? 'primary' : 'secondary'}
              disabledReason={disabledReason}
              onClick={() => void (evaluation && navigate(evaluation))}
              className="max-w-72 min-w-0 shrink"
            >
              <span className="truncate">Evaluate {runTitle(newestRun)}</span>
              <ShortcutKeys id="evaluateRun" />
            </Button>
          )}
        </>
      }
    >
      <div {...held.hoverProps}>
        {overview && <ComponentOverview applicationId={applicationId} overview={overview} period={period} />}
      </div>
      {error && (
        <div className={overview ? 'mt-4' : ''}>
          <QueryError query={query} />
        </div>
      )}
      {!overview && !error && <Skeleton rows={8} />}
    </ComponentFrame>
  )
}
