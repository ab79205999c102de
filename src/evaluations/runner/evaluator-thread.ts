/** The worker thread of `evaluate-case.ts`. */
import { serveWorkerQueue } from '../../base/serve-worker-queue.ts'
import { ConfigError, type Evaluator } from '../../evaluators/evaluator.ts'
import { NO_MODEL } from '../../llm/model-client.ts'
import { readConfig } from '../evaluation-config.ts'
import type { EvaluatorReply, EvaluatorTask } from './evaluate-case.ts'

serveWorkerQueue(async (task: EvaluatorTask): Promise<EvaluatorReply> => {
  const { evaluators } = readConfig(task.config)
  if (task.kind === 'compile') return { problem: problemOf(evaluators) }
  const evaluator = evaluators.find(({ name }) => name === task.evaluator)
  if (!evaluator) throw new Error(`the config has no evaluator ${task.evaluator}`)
  return { verdict: await evaluator.evaluate(task.input, { model: NO_MODEL, repetition: 1 }) }
})

function problemOf(evaluators: readonly Evaluator[]): string | undefined {
  try {
    for (const { compile } of evaluators) compile?.()
    return undefined
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
}
