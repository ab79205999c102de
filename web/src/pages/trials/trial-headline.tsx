import { TriangleAlert } from 'lucide-react'
import type { TrialDetail } from '../../api/generated/api.ts'
import { withMetricTitles } from '../../ui/metric-words.ts'
import { settingsInWords } from '../../ui/setting-words.ts'
import { earlyEnd, headlineOf, savedCalls } from './trial-words.ts'

/** The answer of the trial in one large line, or what is still missing for it. */
export function TrialHeadline({ trial }: { trial: TrialDetail }) {
  const { title, text } = headlineOf(trial)
  const early = earlyEnd(trial)
  const saved = savedCalls(trial)
  // Calls can end well while something after them failed, such as the start of an evaluation.
  const problem = trial.status === 'completed' && early === undefined ? trial.error : null
  return (
    <section aria-label="Result" className="mt-8">
      <h2 className="font-display text-verdict font-semibold tracking-tight text-balance wrap-anywhere max-sm:text-title">
        {title}
      </h2>
      {text && <p className="mt-2 max-w-[80ch] text-reading text-soft wrap-anywhere">{withMetricTitles(text)}</p>}
      {saved && <p className="mt-2 text-data text-soft">{saved}</p>}
      {(early ?? problem) && (
        <p className="mt-3 flex gap-2 text-data text-warn wrap-anywhere">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {early ?? settingsInWords(problem ?? '')}
        </p>
      )}
    </section>
  )
}
