import { Type } from 'typebox'
import { closed } from '../http/schemas.ts'
import { defineEvaluator } from './define-evaluator.ts'
import { binary, skipped } from './verdicts.ts'

export const tokens = defineEvaluator({
  type: 'tokens',
  summary: 'The model calls of the trace used no more tokens than a limit',
  kind: 'binary',
  needs: ['trace'],
  options: closed({ max: Type.Integer({ minimum: 0, description: 'The most tokens that it may use, in and out.' }) }),
  prepare:
    ({ max }) =>
    ({ trace: { totalTokens } }) => {
      if (totalTokens === null) return skipped('it is not known how many tokens the trace used')
      return binary(totalTokens <= max, `used ${totalTokens} tokens, at most ${max} are allowed`, { totalTokens })
    },
})
