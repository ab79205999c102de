/**
 * Where evaluators without a model run, so that the thread that serves requests never stands still for long.
 *
 * In place, which is cheaper, if all of this holds; else in a worker:
 * - Its options are quick to compile. JSON Schemas and long patterns are not, whatever their size.
 * - The texts of the case together have at most `CHARACTERS_IN_PLACE_MAX` characters.
 * - The score needs at most `WORK_IN_PLACE_MAX` units of work. What turns out to need more begins again in the worker: without a model the
 *   same case always gets the same verdict.
 *
 * The worker has the whole budget of a score, and limits of time and memory for what the budget does not count: a score beyond them is
 * `failed`, a config beyond them cannot be used. The same rule holds in the thread of `reading-thread.ts`, which has a worker of its own:
 * one computation without an end would otherwise stop all large evaluations.
 */
import { tooManyRequests } from '../base/errors.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { invariant } from '../base/invariant.ts'
import { TaskLimitError, WorkerQueue } from '../base/worker-queue.ts'
import { type Case, ConfigError, type Evaluator, type Need, type Verdict } from '../evaluators/evaluator.ts'
import { WORK_MAX, workBudget } from '../evaluators/work-budget.ts'
import { ModelError } from '../llm/model-client.ts'

export const CHARACTERS_IN_PLACE_MAX = 64 * 1024
const WORK_IN_PLACE_MAX = WORK_MAX / 10

const DRY_RUNS_WAITING_MAX = 20

/** A config as it is stored: an evaluator cannot be sent to another thread, but created there. */
export type EvaluatorTask =
  | { kind: 'compile'; config: string }
  | { kind: 'evaluate'; config: string; evaluator: string; input: Case }

export type EvaluatorReply = { verdict: Verdict } | { problem: string | undefined }

/** One per thread, which `scoreWithoutModels` shares with nothing that could pass it on: it is sent plain data. */
const worker = new WorkerQueue<EvaluatorTask, EvaluatorReply>({
  thread: new URL('./evaluator-thread.ts', import.meta.url),
  cpuMsMax: 10_000,
  timeoutMs: 120_000,
  memoryMbMax: 256,
  idleMs: 10_000,
})

type Of = {
  workspaceId: string
  /** As it is stored. */
  config: string
  /** Left out: that of this thread. */
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
    const verdict = await evaluator.evaluate(input, { model, repetition: 1, budget })
    if (!budget.isExceeded) return verdict
  }
  const task = { kind: 'evaluate', config, evaluator: evaluator.name, input: sendable(evaluator, input) } as const
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
  evaluators: readonly Evaluator[]
  /** Dry runs are as many as requests: they do not delay the evaluations of their workspace, and too many are rejected with 429. */
  use: 'dry run' | 'evaluation'
}

/** Compiles what the config holds, to know that it can be; throws a ConfigError if it cannot. */
export async function compileEvaluators(compiled: Compiled): Promise<void> {
  const { evaluators, workspaceId, config, use, signal, queue = worker } = compiled
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
    const reply = await queue.run(group, { kind: 'compile', config }, signal)
    if ('problem' in reply && reply.problem !== undefined) throw new ConfigError(reply.problem)
  } catch (error) {
    if (!(error instanceof TaskLimitError)) throw error
    throw new ConfigError(`config.evaluators cannot be used: compiling its schemas and patterns ${error.message}`)
  }
}

const READ_TEXTS: readonly Need[] = ['output', 'expected', 'steps']

/** None for those that read numbers or ratings, however long the texts of the case are. */
function charactersFor({ needs }: Evaluator, { input, output, expected, baseline }: Case): number {
  if (!needs.some((need) => READ_TEXTS.includes(need))) return 0
  return [input, output, expected, baseline].reduce((sum, text) => sum + (text?.length ?? 0), 0)
}

/** Plain data, and of a trace only what this evaluator reads. Evaluators that read ratings run in place, so none needs their meaning. */
function sendable({ needs }: Evaluator, { isGoodRating: _, trace, ...texts }: Case): Case {
  if (!trace) return { ...texts, trace }
  const { status, durationMs, totalTokens, costUsd } = trace
  const steps = needs.includes('steps') ? trace.steps : []
  return { ...texts, trace: { status, durationMs, totalTokens, costUsd, steps } }
}

/** For evaluators that need none; they do not ask. */
const model = { complete: noModel, embed: noModel }

function noModel(): Promise<never> {
  return Promise.reject(new ModelError('permanent', 'this evaluator asks no model'))
}
