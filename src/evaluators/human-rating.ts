import { Type } from 'typebox'
import { defineEvaluator, skipped } from './define-evaluator.ts'
import { ConfigError } from './evaluator.ts'
import { DEFAULT_SCHEME, isGoodRating } from './rating-scheme.ts'
import { quoted } from './text/plain-text.ts'

export const humanRating = defineEvaluator({
  type: 'humanRating',
  summary: 'The share of positive ratings of the trace, among those that are positive or negative',
  kind: 'numeric',
  needs: ['ratings'],
  options: {
    positive: words('Ratings that count as positive. Default: the better half of the rating scheme.'),
    negative: words('Ratings that count as negative. Default: the worse half of the rating scheme.'),
  },
  prepare({ positive, negative }, key) {
    const both = positive?.find((word) => negative?.includes(word))
    if (both !== undefined) throw new ConfigError(`${key}.negative must not name ${quoted(both)}, which is positive`)
    return ({ ratings, isGoodRating = isUsuallyGood }) => {
      if (ratings.length === 0) return skipped('the trace has no rating')
      // A rating that is listed as negative is never positive by default, and vice versa.
      const isGood = (one: string) =>
        positive?.includes(one) ?? (!negative?.includes(one) && isGoodRating(one) === true)
      const isBad = (one: string) =>
        negative?.includes(one) ?? (!positive?.includes(one) && isGoodRating(one) === false)
      const good = ratings.filter(isGood).length
      const bad = ratings.filter(isBad).length
      if (good + bad === 0) return skipped('the trace has no positive or negative rating')
      const score = good / (good + bad)
      // A tie is not a majority.
      return { state: 'scored', score, passed: score > 0.5 }
    }
  },
})

function words(description: string) {
  return Type.Optional(Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 100, description }))
}

function isUsuallyGood(rating: string): boolean | undefined {
  return isGoodRating(DEFAULT_SCHEME, rating)
}
