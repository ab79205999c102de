import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheckBig, Hourglass, Inbox } from 'lucide-react'
import { describeError } from '../../api/api-error.ts'
import type { RunKey } from '../../api/run-query.ts'
import { workQuery } from '../../api/work-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { countOf } from '../../ui/format-number.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { runTitle } from '../runs/run-title.ts'
import type { Outbox } from './outbox.ts'
import { progressOf, type SessionState } from './session-state.ts'
import { useOutboxState } from './use-outbox-state.ts'

interface QueueEndProps {
  run: RunKey
  state: SessionState
  outbox: Outbox
  onRefresh: () => void
  onUndo: () => void
}

/** In place of a trace: it is loading, could not be loaded, or nothing is left to rate. */
export function QueueEnd({ run, state, outbox, onRefresh, onUndo }: QueueEndProps) {
  const { batch, error, isFetching } = state
  const progress = progressOf(state)
  const { waiting } = useOutboxState(outbox, run.runId)
  if (error !== undefined) return <ErrorNotice {...describeError(error)} onRetry={onRefresh} isRetrying={isFetching} />
  if (!batch || !progress) return <Skeleton rows={4} />
  if (waiting > 0) return <p className="text-soft">Saving your last ratings…</p>
  if (progress.total === 0) return <EmptyState icon={Inbox} title="No trace to rate" text={batch.summary} />
  if (progress.left > 0) {
    return (
      <EmptyState
        icon={Hourglass}
        title="Nothing to rate right now"
        text={batch.summary}
        action={
          <Button look="primary" isBusy={isFetching} onClick={onRefresh}>
            Check again
          </Button>
        }
      />
    )
  }
  return (
    <EmptyState
      icon={CircleCheckBig}
      title={progress.rated >= progress.total ? 'All rated' : 'Nothing is left for you'}
      text={batch.summary}
      action={<NextThing run={run} />}
    >
      {state.actions.length > 0 && (
        <p className="text-center">
          <Button look="quiet" size="small" onClick={onUndo}>
            Undo the last rating
            <ShortcutKeys id="undoRating" />
          </Button>
        </p>
      )}
    </EmptyState>
  )
}

/** The next run with something to rate; the list of work if there is none. */
function NextThing({ run }: { run: RunKey }) {
  // The run that was just rated has changed it.
  const { data: work } = useQuery({ ...workQuery(run.applicationId), staleTime: 0 })
  const next = work?.data.find(({ runId, remaining }) => runId !== run.runId && remaining > 0)
  const toWork = pagePaths.work(run.applicationId)
  return (
    <div className="flex flex-wrap justify-center gap-2">
      {next && (
        <Link
          to={pagePaths.annotate(run.applicationId, next.componentId, next.runId)}
          className={`${buttonClass('primary')} max-w-full`}
        >
          <span className="truncate">
            Rate {countOf(next.remaining, 'answer')} of{' '}
            {runTitle({ name: next.runName, datasetName: next.datasetName, createdAt: next.runCreatedAt })}
          </span>
        </Link>
      )}
      <Link to={toWork} className={buttonClass(next ? 'secondary' : 'primary')}>
        My work
      </Link>
      <Link
        to={pagePaths.componentPart(run.applicationId, run.componentId, 'runs')}
        className={buttonClass('secondary')}
      >
        Runs of the component
      </Link>
    </div>
  )
}
