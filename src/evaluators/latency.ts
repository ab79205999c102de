import { Type } from 'typebox'
import { closed } from '../http/schemas.ts'
import { defineEvaluator } from './define-evaluator.ts'
import { binary, skipped } from './verdicts.ts'

export const latency = defineEvaluator({
  type: 'latency',
  summary: 'The trace took no longer than a limit',
  kind: 'binary',
  needs: ['trace'],
  options: closed({
    maxMs: Type.Number({ exclusiveMinimum: 0, description: 'The longest that it may take, in milliseconds.' }),
  }),
  prepare:
    ({ maxMs }) =>
    ({ trace: { durationMs } }) => {
      if (durationMs === null) return skipped('it is not known how long the trace took')
      return binary(durationMs <= maxMs, `took ${durationMs} ms, at most ${maxMs} ms are allowed`, { durationMs })
    },
})
