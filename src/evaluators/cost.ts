import { Type } from 'typebox'
import { closed } from '../http/schemas.ts'
import { defineEvaluator } from './define-evaluator.ts'
import { binary, skipped } from './verdicts.ts'

export const cost = defineEvaluator({
  type: 'cost',
  summary: 'The trace cost no more than a limit',
  kind: 'binary',
  needs: ['trace'],
  options: closed({ maxUsd: Type.Number({ minimum: 0, description: 'The most that it may cost, in US dollars.' }) }),
  prepare:
    ({ maxUsd }) =>
    ({ trace: { costUsd } }) => {
      if (costUsd === null) return skipped('it is not known what the trace cost')
      return binary(costUsd <= maxUsd, `cost ${costUsd} USD, at most ${maxUsd} USD are allowed`, { costUsd })
    },
})
