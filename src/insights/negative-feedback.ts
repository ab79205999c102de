import { createAffected } from './bounded-tally.ts'
import type { Finder } from './insight.ts'
import { formatShare } from './insight-text.ts'
import { INSIGHT_THRESHOLDS } from './insight-thresholds.ts'

const { ratings: negativeRatings, ratedSoAtLeast } = INSIGHT_THRESHOLDS.negative_feedback
const negative: ReadonlySet<string> = new Set(negativeRatings)

/** Finds traces with negative ratings. Frequency: the share of rated traces. */
export function findNegativeFeedback(): Finder {
  const affected = createAffected()
  let rated = 0
  let ratingCount = 0
  let negativeCount = 0
  return {
    add({ id, ratings }) {
      if (ratings.length === 0) return
      rated += 1
      ratingCount += ratings.length
      const negativeInTrace = ratings.filter((rating) => negative.has(rating)).length
      negativeCount += negativeInTrace
      if (negativeInTrace > 0) affected.add(id)
    },
    finish() {
      const disliked = affected.count()
      if (disliked < ratedSoAtLeast) return []
      return [
        {
          title: `${formatShare(disliked, rated, 'rated trace')} got a negative rating`,
          description: `${formatShare(negativeCount, ratingCount, 'rating')} are negative. Traces without ratings are not counted.`,
          frequency: disliked / rated,
          affected,
          details: { ratedTraces: rated, ratings: ratingCount, negativeRatings: negativeCount },
          suggestedFix:
            'Read the comments on these traces and sort them by cause; turn the most frequent cause into dataset items with the expected answer, so that a change can be measured.',
        },
      ]
    },
  }
}
