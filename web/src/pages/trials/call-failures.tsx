import { Link } from '@tanstack/react-router'
import type { TrialDetail, TrialFailure } from '../../api/generated/api.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { formatCount, formatPercent } from '../../ui/format-number.ts'
import { settingsInWords } from '../../ui/setting-words.ts'

interface CallFailuresProps {
  trialKey: TrialKey
  trial: TrialDetail
  failures: readonly TrialFailure[]
}

/** Why calls have no answer, most frequent first, and what a retry can do about it. */
export function CallFailures({ trialKey: { applicationId, componentId }, trial, failures }: CallFailuresProps) {
  if (failures.length === 0) return null
  const failed = failures.reduce((sum, { calls }) => sum + calls, 0)
  const { done, failed: counted } = trial.progress
  const ended = done + Math.max(counted, failed)
  return (
    <section aria-labelledby="failures-title" className="mt-8">
      <h2 id="failures-title" className="mb-3 font-display text-section font-semibold">
        Without an answer{' '}
        <span className="ml-2 font-sans text-data font-normal text-soft">
          {formatCount(failed)} of {formatCount(ended)} calls: {formatPercent(failed / ended)}
        </span>
      </h2>
      <ul className="divide-y divide-line rounded-card border border-line bg-surface shadow-lift">
        {failures.map(({ variant, reason, retryable, calls }) => {
          const runId = trial.variants.find(({ name }) => name === variant)?.runId
          return (
            <li
              key={`${variant} ${reason} ${retryable}`}
              className="grid grid-cols-[minmax(2rem,auto)_minmax(0,1fr)_auto] items-start gap-x-4 gap-y-2 px-5 py-3.5 max-sm:grid-cols-[minmax(1.5rem,auto)_minmax(0,1fr)] max-sm:px-4"
            >
              <span className="text-right font-display text-section font-semibold tabular-nums">
                {formatCount(calls)}
              </span>
              <div className="min-w-0 text-data">
                <p className="font-semibold wrap-anywhere">
                  <bdi>{variant}</bdi>: {settingsInWords(reason)}
                </p>
                <p className="text-soft">
                  {retryable
                    ? 'A retry sends them again.'
                    : 'A retry brings nothing: the same request would fail again. Change the variant or the items, and start a new trial.'}
                </p>
              </div>
              {runId && (
                <Link
                  to={pagePaths.run(applicationId, componentId, runId)}
                  className={`${buttonClass('secondary', 'small')} max-sm:col-start-2 max-sm:justify-self-start`}
                >
                  Open the run<span className="sr-only"> of {variant}</span>
                </Link>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
