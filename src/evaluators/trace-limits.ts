import { Type } from 'typebox'
import { binary, defineEvaluator, skipped } from './define-evaluator.ts'

export const latency = defineEvaluator({
  type: 'latency',
  summary: 'The trace took no longer than a limit',
  kind: 'binary',
  needs: ['trace'],
  options: {
    maxMs: Type.Number({ exclusiveMinimum: 0, description: 'The longest that it may take, in milliseconds.' }),
  },
  prepare:
    ({ maxMs }) =>
    ({ trace: { durationMs } }) => {
      if (durationMs === null) return skipped('it is not known how long the trace took')
      return binary(durationMs <= maxMs, `took ${durationMs} ms, at most ${maxMs} ms are allowed`, { durationMs })
    },
})

export const cost = defineEvaluator({
  type: 'cost',
  summary: 'The trace cost no more than a limit',
  kind: 'binary',
  needs: ['trace'],
  options: { maxUsd: Type.Number({ minimum: 0, description: 'The most that it may cost, in US dollars.' }) },
  prepare:
    ({ maxUsd }) =>
    ({ trace: { costUsd } }) => {
      if (costUsd === null) return skipped('it is not known what the trace cost')
      return binary(costUsd <= maxUsd, `cost ${costUsd} USD, at most ${maxUsd} USD are allowed`, { costUsd })
    },
})

export const tokens = defineEvaluator({
  type: 'tokens',
  summary: 'The model calls of the trace used no more tokens than a limit',
  kind: 'binary',
  needs: ['trace'],
  options: { max: Type.Integer({ minimum: 0, description: 'The most tokens that it may use, in and out.' }) },
  prepare:
    ({ max }) =>
    ({ trace: { totalTokens } }) => {
      if (totalTokens === null) return skipped('it is not known how many tokens the trace used')
      return binary(totalTokens <= max, `used ${totalTokens} tokens, at most ${max} are allowed`, { totalTokens })
    },
})
