/** The worker thread of `evaluate-case.ts`. */
import { serveTasks } from '../../base/serve-tasks.ts'
import { ConfigError, type Evaluator } from '../../evaluators/evaluator.ts'
import { NO_MODEL } from '../../llm/model-client.ts'
import { readConfig } from '../evaluation-config.ts'
import type { EvaluatorReply, EvaluatorTask } from './evaluate-case.ts'

/**
 * The number of configs whose compiled evaluators stay cached: about as many as there are evaluations that alternate.
 */
const CONFIGS_KEPT_MAX = 8
const known = new Map<string, readonly Evaluator[]>()

serveTasks(async (task: EvaluatorTask): Promise<EvaluatorReply> => {
  const evaluators = evaluatorsOf(task.config)
  if (task.kind === 'compile') return { problem: problemOf(evaluators) }
  const evaluator = evaluators.find(({ name }) => name === task.evaluator)
  if (!evaluator) throw new Error(`the config has no evaluator ${task.evaluator}`)
  return { verdict: await evaluator.evaluate(task.input, { model: NO_MODEL, repetition: 1 }) }
})

function evaluatorsOf(config: string): readonly Evaluator[] {
  const cached = known.get(config)
  if (cached) return cached
  const { evaluators } = readConfig(JSON.parse(config))
  if (known.size === CONFIGS_KEPT_MAX) known.clear()
  known.set(config, evaluators)
  return evaluators
}

function problemOf(evaluators: readonly Evaluator[]): string | undefined {
  try {
    for (const { compile } of evaluators) compile?.()
    return undefined
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}
