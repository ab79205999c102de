import type { TrialDetail } from '../../api/generated/api.ts'
import type { TimeLeft } from '../../api/time-left.ts'
import { countEnded } from '../../api/trial-progress.ts'
import { formatCost, formatCount, formatPercent } from '../../ui/format-number.ts'
import { describeTime } from '../evaluations/progress-card.tsx'
import { isOpen, waitingCalls } from './trial-words.ts'

interface TrialProgressProps {
  trial: TrialDetail
  left: TimeLeft | undefined
}

/** How many calls have ended and how, and what they cost. The numbers add up to the plan. */
export function TrialProgress({ trial, left }: TrialProgressProps) {
  const { progress } = trial
  const { total, done, failed, skipped } = progress
  const ended = countEnded(progress)
  const waiting = waitingCalls(progress)
  const share = total === 0 ? 0 : ended / total
  const parts = [
    { word: 'answered', count: done, className: 'bg-series-3' },
    { word: 'no answer', count: failed, className: 'bg-danger-fill' },
    { word: 'skipped', count: skipped, className: 'bg-edge' },
    { word: 'waiting or running', count: waiting, className: 'bg-sunken' },
  ]
  return (
    <div className="mt-6 grid rounded-card border border-line bg-surface shadow-lift rail:grid-cols-[minmax(0,1fr)_300px]">
      <section aria-label="Progress" className="min-w-0 p-5 max-sm:p-4">
        <p className="flex flex-wrap items-baseline gap-x-3 text-body tabular-nums">
          <b className="font-display text-title font-semibold">{formatPercent(Math.floor(share * 100) / 100)}</b>
          <span>
            <b className="font-semibold">
              {formatCount(ended)} of {formatCount(total)}
            </b>{' '}
            calls ended
            {left && isOpen(trial) && waiting > 0 && ` · ${leftText(left)}`}
          </span>
        </p>
        {/* Every tenth is enough to hear. */}
        <p role="status" className="sr-only">
          {formatPercent(Math.floor(share * 10) / 10)} of the calls have ended
        </p>
        <div
          role="progressbar"
          aria-label="Calls that have ended"
          aria-valuemin={0}
          aria-valuemax={total}
          aria-valuenow={ended}
          className="mt-2 flex h-2 overflow-hidden rounded-full bg-sunken"
        >
          {parts.map(({ word, count, className }) => (
            <div key={word} className={className} style={{ width: `${total === 0 ? 0 : (100 * count) / total}%` }} />
          ))}
        </div>
        <p className="mt-3 flex flex-wrap gap-x-4 gap-y-1 text-data text-soft tabular-nums">
          {parts.map(({ word, count, className }) => (
            <span key={word} className="flex items-center gap-1.5">
              <span aria-hidden className={`size-2.5 rounded-[2px] ring-1 ring-edge/40 ${className}`} />
              <span>
                <b className="font-semibold text-ink">{formatCount(count)}</b> {word}
              </span>
            </span>
          ))}
          <span className="ml-auto">= {formatCount(total)}</span>
        </p>
      </section>
      <CostPart trial={trial} />
    </div>
  )
}

/** `about 6 min left (5 to 8)` */
function leftText({ seconds, range }: TimeLeft): string {
  const [low, high] = (range ?? [seconds, seconds]).map(describeTime)
  const about = `about ${describeTime(seconds)} left`
  if (low === undefined || high === undefined || low === high) return about
  const [number, unit] = low.split(' ')
  return `${about} (${high.endsWith(` ${unit}`) ? `${number} to ${high.split(' ')[0]}` : `${low} to ${high}`})`
}

function CostPart({ trial }: { trial: TrialDetail }) {
  const { spentUsd, maxUsd, judgesUsd, expectedAtEndUsd } = trial.cost
  // Models without a price and workers that report no cost add nothing, so a zero is not known to be free.
  const spent = spentUsd === 0 && trial.progress.done > 0 ? undefined : spentUsd
  const isExpected = isOpen(trial) && spent !== undefined && expectedAtEndUsd !== null
  return (
    <section aria-label="Cost" className="min-w-0 border-line p-5 max-rail:border-t max-sm:p-4 rail:border-l">
      <p className="text-data text-soft">Cost of the answers</p>
      <p className="text-body tabular-nums">
        <b className="font-display text-section font-semibold">{spent === 0 ? 'nothing yet' : formatCost(spent)}</b>{' '}
        <span className="text-soft">{maxUsd === null ? 'without a limit' : `of at most ${formatCost(maxUsd)}`}</span>
      </p>
      {maxUsd !== null && (
        <div aria-hidden className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken">
          <div
            className="h-full rounded-full bg-mark"
            style={{ width: `${Math.min(100, (100 * spentUsd) / maxUsd)}%` }}
          />
        </div>
      )}
      {(isExpected || judgesUsd > 0) && (
        <p className="mt-2 text-meta text-soft tabular-nums">
          {[
            ...(isExpected ? [`about ${formatCost(expectedAtEndUsd)} at the end`] : []),
            ...(judgesUsd > 0 ? [`judges ${formatCost(judgesUsd)}${isOpen(trial) ? ' so far' : ' in addition'}`] : []),
          ].join(' · ')}
        </p>
      )}
      {spent === undefined && (
        <p className="mt-2 text-meta text-soft">No cost is known: a model has no price, or your code reports none.</p>
      )}
    </section>
  )
}
