/**
 * Runs an experiment as a job. The phases, in order:
 *
 * 1. `searching`: steps of the search (`search/plan-step.ts`). A step follows from the rows alone; it is one transaction, which changes
 *    candidates and adds the calls that are needed next. The job sends them (`send-experiment-calls.ts`), and when all have ended, plans again.
 * 2. `choosing`: the best candidates become versions of the prompt, and the trial of the test begins (`open-test.ts`). Without a better
 *    candidate the experiment ends here.
 * 3. `testing`: the job waits for the trial, and copies its result.
 * 4. `ended`.
 *
 * After a crash another worker claims the job and continues with the phase that is stored. Random numbers follow from the seed and the number
 * of the step, so that it makes the same choices. A call has one end, in the transaction that stores its cost; calls that were sent and have
 * no answer are charged at their maximum and sent again. All writes go through `job.commit`, which fails when another worker has the job.
 */
import { timestamp } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import { watchForStops } from '../../base/stops.ts'
import { ConfigError } from '../../evaluators/evaluator.ts'
import type { JobHandler, JobPause } from '../../jobs/job-handler.ts'
import { dollarsOf } from '../../spending/spending-limit.ts'
import {
  insertExperimentCalls,
  listOpenExperimentCalls,
  type OpenCall,
  skipExperimentCalls,
} from '../calls/experiment-call-queries.ts'
import { sumTestTokens } from '../experiment-cost-queries.ts'
import {
  type ExperimentRow,
  findExperiment,
  findExperimentItems,
  lockExperiment,
  updateExperiment,
} from '../experiment-queries.ts'
import type { ExperimentResults } from '../experiment-schemas.ts'
import { changeIteration, endOpenIterations, insertIterations } from '../iteration-queries.ts'
import { planStep } from '../search/plan-step.ts'
import type { Step } from '../search/search.ts'
import { composePrompts } from './compose-prompts.ts'
import { recoverSentExperimentCalls } from './end-experiment-call.ts'
import { measureValidation } from './measure-validation.ts'
import { openModels } from './open-models.ts'
import { openTest } from './open-test.ts'
import { readSearch, type StoredSearch } from './read-search.ts'
import { describeWithoutTest, readTest } from './read-test.ts'
import type { ExperimentDeps, Models, Running } from './searching.ts'
import { sendExperimentCalls } from './send-experiment-calls.ts'

/** After so many failures without one answer, further calls would fail, too. */
const FAILURES_MAX = 20

export function createExperimentHandler(deps: ExperimentDeps): JobHandler {
  return {
    kind: 'experiment',

    async run(job) {
      const of = { workspaceId: job.workspaceId, experimentId: job.payload.experimentId ?? '' }
      const experiment = await findExperiment(job.db.read, of)
      if (experiment?.status !== 'running') return
      const items = await findExperimentItems(job.db.read, of)
      const stops = watchForStops(job, async () => {
        const seen = await findExperiment(job.db.read, of)
        if (seen?.status !== 'running') return 'end'
        return seen.phase === 'searching' && seen.endedBy !== null ? 'yield' : 'continue'
      })
      // Plans of an older server do not say what they optimize.
      const plan = { optimize: ['messages'], ...JSON.parse(experiment.plan) }
      const running = { job, deps, of, experiment, plan, items, ...stops }
      try {
        return await runPhases(running)
      } catch (error) {
        // Something was deleted since the experiment was created, or a limit of the application is reached.
        const isCause = error instanceof ConfigError || (error instanceof AppError && error.status < 500)
        if (!isCause) throw error
        await fail(running, error.message)
      } finally {
        stops.end()
      }
    },

    async onFailed(tx, { workspaceId, payload, clock }, reason) {
      const now = timestamp(clock.now())
      const error = `The experiment was tried several times and did not end: ${reason}`
      const of = { workspaceId, experimentId: payload.experimentId ?? '' }
      await updateExperiment(tx, of, { status: 'failed', error, completed_at: now, now, onlyIf: ['running'] })
    },
  }
}

/** The phase stays, so that it can be resumed. */
async function fail({ job, of }: Running, error: string): Promise<void> {
  const now = timestamp(job.clock.now())
  await job.commit((tx) =>
    updateExperiment(tx, of, { status: 'failed', error, completed_at: now, now, onlyIf: ['running'] }),
  )
}

async function runPhases(running: Running): Promise<'requeue' | JobPause | undefined> {
  const { job, of } = running
  let models: Models | undefined
  // Sent by a worker that is gone: this job has just been claimed.
  if (running.experiment.phase === 'searching') await recoverSentExperimentCalls(running)
  for (;;) {
    const experiment = await findExperiment(job.db.read, of)
    if (experiment?.status !== 'running' || job.signal.aborted) return undefined
    const now = { ...running, experiment }
    switch (experiment.phase) {
      case 'searching': {
        models ??= await openModels({
          ...now,
          ...now.job,
          componentId: experiment.componentId,
          owner: of.experimentId,
        })
        const end = await searchOnce(now, models)
        if (end !== 'again') return end
        break
      }
      case 'choosing': {
        const { search } = await readSearch(job.db.read, of, now)
        const finalists = await openTest(now, search)
        if (finalists.length === 0) await finish(now, { results: await describeWithoutTest(now), testTokens: 0 })
        break
      }
      case 'testing': {
        const results = await readTest(now)
        if (!results) return { pauseSeconds: running.deps.pauseSeconds, isStillWaiting: async () => true }
        await finish(now, { results, testTokens: await testTokensOf(now) })
        break
      }
      default:
        return undefined
    }
  }
}

/** Sends what is open, or plans the next step. */
async function searchOnce(running: Running, models: Models): Promise<'again' | 'requeue' | JobPause | undefined> {
  const { job, of, experiment, softStop, hardStop, deps } = running
  const over = whyOver(experiment, { plan: running.plan, now: job.clock.now() })
  if (over) return endSearch(running, over)
  const stored = await readSearch(job.db.read, of, running)
  const open = await listOpenExperimentCalls(job.db.read, job.clock, of)
  const failure = failureOf(stored, open)
  if (failure !== undefined) {
    await fail(running, failure)
    return undefined
  }
  if (open.length === 0) return takeStep(running, models, stored)
  const sent = await sendExperimentCalls(running, models, { open, stored })
  if (job.signal.aborted) return undefined
  if (typeof sent === 'object') return endSearch(running, { endedBy: 'budget', reason: overBudgetOf(experiment, sent) })
  if (sent === 'stopped' && softStop.aborted && !hardStop.aborted) return isStopRequested(running)
  if (sent === 'nothing is due') return pauseUntilDue(running, open, deps.pauseSeconds)
  return 'again'
}

function overBudgetOf({ maxNanoUsd }: ExperimentRow, { overBudget }: { overBudget: string }): string {
  if (maxNanoUsd === null) return overBudget
  return `${overBudget} ($${dollarsOf(maxNanoUsd)})`
}

async function isStopRequested({ job, of }: Running): Promise<'again' | 'requeue'> {
  const experiment = await findExperiment(job.db.read, of)
  return experiment?.endedBy === 'stopped' ? 'again' : 'requeue'
}

/** Without a slot, until the provider may be asked again. */
function pauseUntilDue({ of }: Running, open: readonly OpenCall[], pauseSeconds: number): JobPause {
  return {
    pauseSeconds,
    isStillWaiting: async (tx) => open.length > 0 && (await findExperiment(tx, of))?.status === 'running',
  }
}

type End = { endedBy: NonNullable<ExperimentRow['endedBy']>; reason: string }

function whyOver(
  { endedBy, endsAt, reason }: ExperimentRow,
  { plan, now }: { plan: Running['plan']; now: number },
): End | undefined {
  if (endedBy !== null) return { endedBy, reason: reason ?? 'The search was stopped' }
  if (endsAt === null || now < Date.parse(endsAt)) return undefined
  return { endedBy: 'time', reason: `The time limit of ${plan.budget.maxMinutes} minutes (maxMinutes) was reached` }
}

/** Undefined as long as some answer has succeeded, or only a few have failed. */
function failureOf({ calls }: StoredSearch, open: readonly OpenCall[]): string | undefined {
  const answers = calls.filter(({ kind }) => kind !== 'reflection')
  const failed = answers.filter(({ state, value }) => state === 'failed' && value === null)
  const isEnough = failed.length >= FAILURES_MAX || (open.length === 0 && failed.length > 0)
  if (!isEnough || answers.some(({ value }) => value !== null)) return undefined
  return `None of the first ${failed.length} answers succeeded: ${failed.at(-1)?.reason ?? ''}`
}

/** One transaction: what has changed, and the calls that are needed next. */
async function takeStep(running: Running, models: Models, stored: StoredSearch): Promise<'again'> {
  const step: Step = planStep(stored.search)
  if ('end' in step) return endSearch(running, { endedBy: step.end, reason: step.reason })
  if ('compose' in step) {
    await composePrompts(running, models, { stored, numbers: step.compose })
    return 'again'
  }
  const { job, of } = running
  const now = timestamp(job.clock.now())
  const isNewlyValidated = step.changes.some(({ state }) => state === 'validated')
  await job.commit(
    async (tx) => {
      const locked = await lockExperiment(tx, of)
      if (locked?.status !== 'running' || locked.phase !== 'searching') return
      for (const change of step.changes) await changeIteration(tx, of, change)
      if (step.added.length > 0) await insertIterations(tx, of, { candidates: step.added, now })
      const first = (stored.calls.at(-1)?.number ?? 0) + 1
      if (step.calls.length > 0) await insertExperimentCalls(tx, of, { calls: step.calls, first })
      await updateExperiment(tx, of, { now })
    },
    { resetAttempts: true },
  )
  if (isNewlyValidated) await storeValidation(running)
  return 'again'
}

async function storeValidation({ job, of, plan, items }: Running): Promise<void> {
  const { search } = await readSearch(job.db.read, of, { plan, items })
  const validation = JSON.stringify(await measureValidation(search))
  await job.commit((tx) => updateExperiment(tx, of, { validation, now: timestamp(job.clock.now()) }))
}

async function endSearch(running: Running, { endedBy, reason }: End): Promise<'again'> {
  const { job, of } = running
  await job.commit(async (tx) => {
    const now = timestamp(job.clock.now())
    const ended = { phase: 'choosing', ended_by: endedBy, reason, now } as const
    if (!(await updateExperiment(tx, of, { ...ended, onlyIf: ['running'] }))) return
    await skipExperimentCalls(tx, of, reason)
    await endOpenIterations(tx, of, `The search ended before: ${reason}`)
  })
  await storeValidation(running)
  return 'again'
}

async function testTokensOf({ job, experiment: { workspaceId, trialId } }: Running): Promise<number> {
  if (trialId === null) return 0
  return (await sumTestTokens(job.db.read, { workspaceId, trialIds: [trialId] })).get(trialId) ?? 0
}

type Found = { results: ExperimentResults; testTokens: number }

async function finish({ job, of, experiment }: Running, { results, testTokens }: Found): Promise<void> {
  const now = timestamp(job.clock.now())
  const ended = { status: 'completed', phase: 'ended', results: JSON.stringify(results), completed_at: now } as const
  const tokens_used = experiment.tokensUsed + testTokens
  await job.commit((tx) => updateExperiment(tx, of, { ...ended, tokens_used, now, onlyIf: ['running'] }))
}
