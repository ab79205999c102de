import type { LiveProgress } from '../../api/evaluation-progress.ts'
import type { EvaluationDetail, ScoreGroup } from '../../api/generated/api.ts'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { countExternalScores, sumOf } from './external-scores.ts'

interface ProgressCardProps {
  evaluation: EvaluationDetail
  live: LiveProgress
  /** All scores by state; undefined while they load. */
  groups: ScoreGroup[] | undefined
  /** The reasons of those that are tried again. */
  errors: ScoreGroup[] | undefined
}

/** How far a running evaluation is, why the rest is not there yet, and the first error as soon as it occurs. */
export function ProgressCard({ evaluation, live, groups, errors }: ProgressCardProps) {
  const { total, done, failed, skipped } = live.progress ?? evaluation.progress
  const finished = done + failed + skipped
  const percent = total === 0 ? 0 : (100 * finished) / total
  const awaited = countExternalScores(evaluation, groups ?? [], 'queued')
  // When others deliver the rest, the speed so far says nothing.
  const isTimeKnown = live.secondsLeft !== undefined && awaited.size === 0
  const parts = [
    `${formatCount(finished)} of ${formatCount(total)}`,
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(isTimeKnown ? [`about ${describeTime(live.secondsLeft ?? 0)} left`] : []),
  ]
  const waiting = listWaiting(groups ?? [], errors ?? [], awaited)
  return (
    <section
      aria-label="Progress"
      className="mt-6 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4"
    >
      <p role="status" className="text-body font-semibold tabular-nums">
        {total === 0 ? 'The cases are being planned; it starts when a worker is free.' : parts.join(' · ')}
      </p>
      <div
        role="progressbar"
        aria-label="Scores with a result"
        aria-valuemin={0}
        aria-valuemax={total}
        aria-valuenow={finished}
        className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken"
      >
        <div className="h-full rounded-full bg-gold" style={{ width: `${percent}%` }} />
      </div>
      {live.firstError && (
        <p className="mt-3 rounded-control bg-warn-wash px-3 py-2 text-data wrap-anywhere">
          <b className="font-semibold text-warn">First error:</b> {live.firstError}
        </p>
      )}
      {waiting.length > 0 && (
        <ul className="mt-3 flex flex-col gap-0.5 text-data text-soft">
          {waiting.map((text) => (
            <li key={text} className="wrap-anywhere">
              {text}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function listWaiting(groups: ScoreGroup[], errors: ScoreGroup[], awaited: ReadonlyMap<string, number>): string[] {
  const count = (state: ScoreGroup['state']) =>
    groups.filter((group) => group.state === state).reduce((sum, group) => sum + group.count, 0)
  const queued = count('queued') - sumOf(awaited)
  const running = count('running')
  const retried = errors.filter(({ state }) => state === 'retrying')
  return [
    ...(running > 0 ? [`${countOf(running, 'score')} in progress`] : []),
    ...retried.map(
      ({ count, evaluator, error, example }) =>
        `${formatCount(count)} of ${metricTitle(evaluator)} tried again after ${countOf(example?.attempts ?? 1, 'attempt')}: ${error}`,
    ),
    ...(queued > 0 ? [`${formatCount(queued)} queued, until those before them are done`] : []),
    ...[...awaited].map(([name, awaitedCount]) => `waiting for ${countOf(awaitedCount, 'score')} of ${name}`),
  ]
}

export function describeTime(seconds: number): string {
  if (seconds < 45) return `${Math.max(1, Math.round(seconds))} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 60 ? `${Math.max(1, minutes)} min` : `${Math.round(minutes / 60)} h`
}
