/**
 * Runs evaluators without a model, so that the thread that serves requests is never blocked for long.
 *
 * An evaluator runs in this thread, which is cheaper, if all of these conditions hold, and else in a worker:
 * - Its options compile quickly. JSON Schemas and long patterns do not, regardless of their size.
 * - The texts of the case have at most `CHARACTERS_IN_PLACE_MAX` characters in total.
 * - The score needs at most `WORK_IN_PLACE_MAX` units of work. A score that exceeds them starts again in the worker:
 *   without a model, the same case always gets the same verdict.
 *
 * The worker has the whole work budget of a score, and limits of time and memory for what the budget does not count. A
 * score beyond the limits is `failed`; a config beyond them is rejected. The same rule applies in the thread of
 * `read-worker-tasks.ts`, which has a worker of its own: otherwise one endless computation would stop all large
 * evaluations.
 */
import { tooManyRequests } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { invariant } from '../../base/invariant.ts'
import { workerFile } from '../../base/worker-file.ts'
import { TaskLimitError, WorkerQueue } from '../../base/worker-queue.ts'
import { type Case, ConfigError, type Evaluator, type Need, type Verdict } from '../../evaluators/evaluator.ts'
import { WORK_MAX, workBudget } from '../../evaluators/work-budget.ts'
import { NO_MODEL } from '../../llm/model-client.ts'
import type { EvaluationConfig } from '../evaluation-config.ts'

export const CHARACTERS_IN_PLACE_MAX = 64 * 1024
const WORK_IN_PLACE_MAX = WORK_MAX / 10

const DRY_RUNS_WAITING_MAX = 20

/** `config` is the text of the config. */
export type EvaluatorTask =
  | { kind: 'compile'; config: string }
  | { kind: 'evaluate'; config: string; evaluator: string; input: Case }

export type EvaluatorReply = { verdict: Verdict } | { problem: string | undefined }

/**
 * One worker per thread. `computeScores` receives plain data and cannot be given a worker, so each thread has its
 * own.
 */
const worker = new WorkerQueue<EvaluatorTask, EvaluatorReply>({
  thread: workerFile(new URL('./evaluator-thread.ts', import.meta.url)),
  cpuMsMax: 10_000,
  timeoutMs: 120_000,
  memoryMbMax: 256,
  idleMs: 10_000,
})

type Of = {
  workspaceId: string
  config: EvaluationConfig
  /** Defaults to the worker of this thread. */
  queue?: typeof worker
  signal: AbortSignal
}

export async function evaluateCase(
  evaluator: Evaluator,
  input: Case,
  { workspaceId, config, signal, queue = worker }: Of,
): Promise<Verdict> {
  if (!evaluator.isSlowToCompile && charactersFor(evaluator, input) <= CHARACTERS_IN_PLACE_MAX) {
    const budget = workBudget(WORK_IN_PLACE_MAX)
    const verdict = await evaluator.evaluate(input, { model: NO_MODEL, repetition: 1, budget })
    if (!budget.isExceeded) return verdict
  }
  const sent = { evaluator: evaluator.name, input: sendable(evaluator, input) }
  const task = { kind: 'evaluate', config: config.text, ...sent } as const
  try {
    const reply = await queue.run(workspaceId, task, signal)
    invariant('verdict' in reply, 'an evaluator in a worker replies with a verdict')
    return reply.verdict
  } catch (error) {
    if (error instanceof TaskLimitError)
      return { state: 'failed', reason: `the evaluator was stopped: it ${error.message}` }
    throw error
  }
}

type Compiled = Omit<Of, 'signal'> & {
  signal?: AbortSignal
  /**
   * There can be as many dry runs as requests: they do not delay the evaluations of their workspace, and too many are
   * rejected with 429.
   */
  use: 'dry run' | 'evaluation'
}

/** Compiles the evaluators of a config; throws a ConfigError if one is invalid. */
export async function compileEvaluators(compiled: Compiled): Promise<void> {
  const { workspaceId, config, use, signal, queue = worker } = compiled
  const { evaluators, text } = config
  for (const { isSlowToCompile, compile } of evaluators) {
    if (isSlowToCompile) continue
    compile?.()
    await yieldToEventLoop()
  }
  if (!evaluators.some(({ isSlowToCompile }) => isSlowToCompile)) return
  const group = use === 'evaluation' ? workspaceId : `dry runs of ${workspaceId}`
  if (use === 'dry run' && queue.countWaiting(group) >= DRY_RUNS_WAITING_MAX)
    throw tooManyRequests('Too many dry runs are waiting for their schemas to be compiled; try again later', 1)
  try {
    const reply = await queue.run(group, { kind: 'compile', config: text }, signal)
    if ('problem' in reply && reply.problem !== undefined) throw new ConfigError(reply.problem)
  } catch (error) {
    if (!(error instanceof TaskLimitError)) throw error
    throw new ConfigError(`config.evaluators cannot be used: compiling its schemas and patterns ${error.message}`)
  }
}

const READ_TEXTS: readonly Need[] = ['output', 'expected', 'steps']

/** Zero for evaluators that read only numbers or ratings. */
function charactersFor({ needs }: Evaluator, { input, output, expected, baseline }: Case): number {
  if (!needs.some((need) => READ_TEXTS.includes(need))) return 0
  return [input, output, expected, baseline].reduce((sum, text) => sum + (text?.length ?? 0), 0)
}

/**
 * Returns plain data, with only those parts of the trace that the evaluator reads. Evaluators that read ratings run in
 * this thread, so `isGoodRating` is not sent.
 */
function sendable({ needs }: Evaluator, { isGoodRating: _, trace, ...texts }: Case): Case {
  if (!trace) return { ...texts, trace }
  const { status, durationMs, totalTokens, costUsd } = trace
  const steps = needs.includes('steps') ? trace.steps : []
  return { ...texts, trace: { status, durationMs, totalTokens, costUsd, steps } }
}
