import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { apiKey } from '../../api/api-query.ts'
import { meQuery } from '../../api/me-query.ts'
import type { RunKey } from '../../api/run-query.ts'
import { datasetQuery, runQuery } from '../../api/run-query.ts'
import { useSessionRestored } from '../../api/session-end.ts'
import { pagePaths } from '../../path-builder.ts'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Forbidden } from '../../ui/forbidden.tsx'
import { runTitle } from '../runs/run-title.ts'
import { PageBody } from '../shell/page-body.tsx'
import { missingRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'
import { AnnotateHeader } from './annotate-header.tsx'
import { titleOf } from './annotation-items.ts'
import { createAnnotationSession } from './annotation-session.ts'
import { ItemView } from './item-view.tsx'
import type { Outbox } from './outbox.ts'
import { useOutbox } from './outbox-context.tsx'
import { QueueEnd } from './queue-end.tsx'
import { RatingDock } from './rating-dock.tsx'
import { RejectedChanges } from './rejected-changes.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/runs/$runId/annotate')

/** One question and its answer at a time, and the words to rate it with. */
export function AnnotatePage() {
  const { applicationId, componentId, runId } = route.useParams()
  const run = useMemo(() => ({ applicationId, componentId, runId }), [applicationId, componentId, runId])
  const me = useMe()
  const outbox = useOutbox()
  const reason = missingRole(me, 'annotator', 'Rating traces')
  if (reason) {
    return (
      <PageBody>
        <title>Annotate · Touchstone</title>
        <h1 className="sr-only">Annotate</h1>
        <Forbidden reason={reason} />
        <p className="mt-4 text-center">
          <Link to={pagePaths.component(applicationId, componentId)} className={buttonClass('secondary')}>
            Back to the component
          </Link>
        </p>
      </PageBody>
    )
  }
  if (!outbox) return null
  return <Annotation key={`${me.userId} ${runId}`} run={run} userId={me.userId} outbox={outbox} />
}

interface AnnotationProps {
  run: RunKey
  userId: string
  outbox: Outbox
}

function Annotation({ run, userId, outbox }: AnnotationProps) {
  const { data: runData } = useSuspenseQuery(runQuery(run))
  const { data: dataset } = useQuery(datasetQuery({ ...run, datasetId: runData.datasetId }))
  const { item: itemInAddress, order } = route.useSearch()
  const session = useMemo(() => createAnnotationSession({ run, userId, outbox, order }), [run, userId, outbox, order])
  const state = useSyncExternalStore(session.subscribe, session.read)
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const own = pagePaths.annotate(run.applicationId, run.componentId, run.runId)
  const item = state.items.find(({ traceDbId }) => traceDbId === state.currentId)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address decides where to start; afterwards it follows
  useEffect(() => {
    const leave = session.start(itemInAddress)
    return () => {
      leave()
      // The number in the navigation.
      void queryClient.invalidateQueries({ queryKey: apiKey('/me/work', run.applicationId) })
    }
  }, [session])

  useEffect(() => {
    if (state.currentId === undefined || state.currentId === itemInAddress) return
    void navigate({ to: own, search: { item: state.currentId, order }, replace: true, resetScroll: false })
  }, [navigate, own, order, state.currentId, itemInAddress])

  // The queue is not a query, so that an ended session must be found by one.
  const isUnauthorized = hasStatus(state.error, 401)
  useQuery({ ...meQuery(run.applicationId), queryKey: ['queue-check', run.runId], enabled: isUnauthorized })
  useSessionRestored(session.refresh)

  // biome-ignore lint/correctness/useExhaustiveDependencies: each trace starts at its top
  useLayoutEffect(() => {
    window.scrollTo(0, 0)
  }, [state.currentId])

  const leave = () => void navigate({ to: pagePaths.componentPart(run.applicationId, run.componentId, 'runs') })
  useShortcut('leaveAnnotation', leave)
  useShortcut('skipTrace', item && session.skip)
  useShortcut('undoRating', session.undo)
  useShortcut('previousTrace', () => void session.showPrevious())
  useShortcut('nextTrace', item && session.showNext)

  const name = runTitle({ ...runData, datasetName: dataset?.name })
  return (
    <div className="flex min-h-dvh flex-col">
      <title>{`Annotate ${name} · Touchstone`}</title>
      <h1 className="sr-only">Annotate {name}</h1>
      <AnnotateHeader
        run={run}
        title={dataset && runData.name ? `${name} · ${dataset.name}` : name}
        state={state}
        outbox={outbox}
        onLeave={leave}
        onPolicyChange={session.refresh}
        onOrder={(next) => void navigate({ to: own, search: { order: next }, replace: true })}
      />
      <div className="mx-auto w-full max-w-170 flex-1 pt-10 pb-12 max-[720px]:px-4 max-[720px]:pt-5 max-[720px]:pb-24">
        <RejectedChanges run={run} outbox={outbox} items={state.items} />
        {state.notice && (
          <p role="status" className="mb-6 rounded-control bg-gold-wash px-4 py-2.5 text-data">
            {state.notice}
          </p>
        )}
        <p role="status" className="sr-only">
          {item && `Question: ${titleOf(item)}`}
        </p>
        {item ? (
          <ItemView key={item.traceDbId} run={run} item={item} session={session} />
        ) : (
          <QueueEnd run={run} state={state} outbox={outbox} onRefresh={session.refresh} onUndo={session.undo} />
        )}
      </div>
      {item && <RatingDock state={state} item={item} session={session} />}
    </div>
  )
}
