/** Evaluators as an evaluation makes them: options checked against their schema, the model behind a real connection. */
import { Ajv } from 'ajv'
import { expect } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import type { Case, Evaluator, Verdict } from '../../src/evaluators/evaluator.ts'
import type { ModelServer, ModelServerOptions } from '../harness/model-server.ts'
import { startModelClient } from '../models/start-model-client.ts'

const ajv = new Ajv({ strict: true, allowUnionTypes: true })

export function createJudge(type: string, options: Record<string, unknown>): Evaluator {
  const definition = EVALUATOR_DEFINITIONS.find((one) => one.type === type)
  if (!definition) throw new Error(`there is no evaluator ${type}`)
  const fits = ajv.validate(definition.options, options)
  expect(fits, JSON.stringify(ajv.errors)).toBe(true)
  return definition.create('judged', options, 'evaluators[0]')
}

export function fitsOptions(type: string, options: Record<string, unknown>): boolean {
  const definition = EVALUATOR_DEFINITIONS.find((one) => one.type === type)
  return definition !== undefined && ajv.validate(definition.options, options)
}

export function caseOf(parts: Partial<Case>): Case {
  return { input: null, output: null, expected: null, baseline: null, ratings: [], trace: null, ...parts }
}

type Judging = {
  server: ModelServer
  judge(parts: Partial<Case>, repetition?: number): Promise<Verdict>
  /** What the judge was shown, in the order in which it was asked. */
  shown(): Record<string, unknown>[]
}

export async function startJudging(evaluator: Evaluator, server: ModelServerOptions = {}): Promise<Judging> {
  const started = await startModelClient({ server })
  return {
    server: started.server,
    judge: async (parts, repetition = 1) => evaluator.evaluate(caseOf(parts), { model: started.client, repetition }),
    shown: () => started.server.requests.map(({ user }) => JSON.parse(user)),
  }
}
