import { createAffected } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatCount, formatShare } from './insight-text.ts'
import { INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { emptyAtLeast } = INSIGHT_THRESHOLDS.empty_output

/**
 * Finds traces that ended without an error and without an output. Frequency: the share of traces that ended without an
 * error. If no trace has an output, outputs are not recorded and there is no finding.
 */
export function findEmptyOutputs(): Finder {
  const affected = createAffected()
  let ended = 0
  let answers = 0
  return {
    add({ id, isError, durationMs, answer }) {
      const isEmpty = answer.form === 'none' || answer.form === 'empty'
      if (!isEmpty) answers += 1
      // A failed trace may have no output, and a running trace may still produce one.
      if (isError || durationMs === null) return
      ended += 1
      if (isEmpty) affected.add(id)
    },
    finish() {
      const empty = affected.count()
      if (answers === 0 || empty < emptyAtLeast) return []
      return [
        {
          title: `${formatShare(empty, ended, 'trace')} have no output`,
          description: `They ended without an error, but their output is missing or empty, while ${formatCount(answers, 'trace')} have one.`,
          frequency: empty / ended,
          affected,
          details: { empty, ended },
          suggestedFix:
            'Validate the output before returning it, and treat an empty one as an error. Common causes are a refusal, an output that consists of tool calls only, and a parser that found no match.',
        },
      ]
    },
  }
}
