import type { Retention } from '../../api/generated/api.ts'
import { countOf } from '../../ui/format-number.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'

/** The current cleanup, or the result of the last one. */
export function CleanupProgress({ retention }: { retention: Retention }) {
  const { state, tracesDeleted, tracesLeft, startedAt } = retention
  const isClearing = state === 'clearing'
  return (
    <section aria-labelledby="cleanup-title" className="rounded-card border border-line bg-surface p-5 shadow-lift">
      <h2 id="cleanup-title" className="text-reading font-semibold">
        {isClearing ? 'Cleanup in progress' : 'Last cleanup'}
      </h2>
      {isClearing ? (
        <>
          <progress
            aria-label="Deleted traces"
            max={Math.max(tracesDeleted + tracesLeft, 1)}
            value={tracesDeleted}
            className={progressClass}
          />
          <p className="text-soft tabular-nums">
            {tracesDeleted.toLocaleString('en')} of {countTraces(tracesDeleted + tracesLeft)} deleted
            {startedAt && (
              <>
                , started <RelativeTime time={startedAt} />
              </>
            )}
          </p>
        </>
      ) : (
        <p className="mt-1 text-soft tabular-nums">
          <LastCleanup retention={retention} />
        </p>
      )}
    </section>
  )
}

function LastCleanup({ retention: { days, tracesDeleted, finishedAt } }: { retention: Retention }) {
  if (finishedAt) {
    return (
      <>
        {countTraces(tracesDeleted)} deleted, finished <RelativeTime time={finishedAt} />.
      </>
    )
  }
  if (days === null) return 'None yet. Traces are kept forever.'
  return 'None yet. The first one starts within minutes after a trace is too old.'
}

function countTraces(count: number): string {
  return countOf(count, 'trace')
}

const progressClass =
  'mt-3 mb-2 block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-sunken ' +
  '[&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-gold [&::-moz-progress-bar]:bg-gold'
