import { createAffected } from './bounded-tally.ts'
import { repeatedModelCalls } from './group-equal-steps.ts'
import type { Finder } from './insight.ts'
import { formatCount, formatPercent, formatShare } from './insight-text.ts'
import { INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { wastedShareAtLeast } = INSIGHT_THRESHOLDS.token_waste

/** Finds tokens that were spent on failed and on repeated calls. Frequency: the share of tokens. */
export function findTokenWaste(): Finder {
  const affected = createAffected()
  let failed = 0
  let repeated = 0
  let all = 0
  return {
    add({ id, steps }) {
      let failedHere = 0
      for (const { kind, isError, tokens } of steps) {
        all += tokens
        if (isError && kind === 'llm') failedHere += tokens
      }
      let repeatedHere = 0
      for (const [, ...repeats] of repeatedModelCalls(steps)) for (const { tokens } of repeats) repeatedHere += tokens
      if (failedHere + repeatedHere > 0) affected.add(id)
      failed += failedHere
      repeated += repeatedHere
    },
    finish(traces) {
      const wasted = failed + repeated
      if (wasted === 0 || wasted / all < wastedShareAtLeast) return []
      return [
        {
          title: `${formatShare(wasted, all, 'token')} were wasted`,
          description: `${formatCount(failed, 'token')} went into model calls that failed and ${formatCount(repeated, 'token')} into repeated calls that had already succeeded, in ${formatShare(affected.count(), traces, 'trace')}.`,
          frequency: wasted / all,
          affected,
          details: { failedTokens: failed, repeatedTokens: repeated, wastedTokens: wasted, totalTokens: all },
          suggestedFix:
            failed >= repeated
              ? `Most of it (${formatPercent(failed / wasted)}) is in failed calls: check what is sent before sending it (length, schema, credentials), and retry with a pause and a limit instead of at once.`
              : `Most of it (${formatPercent(repeated / wasted)}) is in repeated calls: reuse outputs within a trace.`,
        },
      ]
    },
  }
}
