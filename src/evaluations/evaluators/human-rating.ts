import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { defineEvaluator } from './define-evaluator.ts'
import { skipped } from './verdicts.ts'

export const humanRating = defineEvaluator({
  type: 'humanRating',
  summary: 'The share of people who rated the trace as positive, among those who rated it as positive or negative',
  kind: 'numeric',
  needs: ['ratings'],
  options: closed({
    positive: words('Ratings that count as positive. Default: positive.', ['positive']),
    negative: words('Ratings that count as negative. Default: negative.', ['negative']),
  }),
  prepare:
    ({ positive = ['positive'], negative = ['negative'] }) =>
    ({ ratings }) => {
      const good = ratings.filter((rating) => positive.includes(rating)).length
      const bad = ratings.filter((rating) => negative.includes(rating)).length
      if (good + bad === 0) return skipped('nobody has rated the trace')
      const score = good / (good + bad)
      // A tie is no majority.
      return { state: 'scored', score, passed: score > 0.5 }
    },
})

function words(description: string, otherwise: string[]) {
  return Type.Optional(
    Type.Array(Type.String({ maxLength: 500 }), { minItems: 1, maxItems: 100, default: otherwise, description }),
  )
}
