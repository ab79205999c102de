/** When all calls have ended: evaluations of the runs, their comparison as one family, and the end of the trial. */

import { timestamp } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import { findEvaluation } from '../../evaluations/evaluation-queries.ts'
import { startEvaluation } from '../../evaluations/start-evaluation.ts'
import type { JobPause } from '../../jobs/job-handler.ts'
import { quantileRanks, quartiles } from '../../statistics/quantiles.ts'
import { dbWithin } from '../../storage/db.ts'
import { listDurations, listFailures } from '../calls/call-list-queries.ts'
import { judgesOf, NO_RESULTS, progressOf, type TrialResults } from '../describe-trial.ts'
import { updateTrial } from '../trial-queries.ts'
import { listVariants, setEvaluation, type Variant } from '../variant-queries.ts'
import { compareVariants } from './compare-variants.ts'
import type { Trialing } from './trialing.ts'

export async function evaluateRuns(trialing: Trialing): Promise<JobPause | undefined> {
  const { job, of, plan, deps } = trialing
  let variants = await listVariants(job.db.read, of)
  let problem: string | undefined
  // A variant without an answer has nothing to evaluate.
  const answered = variants.filter(({ done }) => done > 0)
  if (plan.evaluation && answered.length > 0) {
    // The gate of a candidate needs the scores of the baseline, so that is evaluated first.
    const baseline = answered.filter(({ number }) => number === plan.baseline)
    const candidates = answered.filter(({ number }) => number !== plan.baseline)
    for (const group of [baseline, candidates]) {
      problem ??= await startEvaluations(trialing, group)
      variants = await listVariants(job.db.read, of)
      const started = variants.filter((variant) => group.some(({ number }) => number === variant.number))
      if (await hasOpenEvaluation(trialing, started))
        return { pauseSeconds: deps.pauseSeconds, isStillWaiting: async () => true }
    }
  }
  await finish(trialing, variants, problem)
  return undefined
}

/** Those that have none yet. Returns why they cannot be started, such as a quota. */
async function startEvaluations(
  { job, of, plan, trial, deps }: Trialing,
  variants: readonly Variant[],
): Promise<string | undefined> {
  const { clock, newId, workspaceId } = job
  const { componentId, datasetId } = trial
  const baseline = (await listVariants(job.db.read, of)).find(({ number }) => number === plan.baseline)
  for (const { number, name, runId, evaluationId } of variants) {
    if (evaluationId !== null) continue
    const given: Record<string, unknown> = { ...(plan.split !== null && { split: plan.split }), ...plan.evaluation }
    const { gate, ...shared } = given
    // The baseline has no gate; evaluators that compare with the baseline get its own run.
    const config = {
      ...shared,
      baselineRunId: baseline?.runId ?? runId,
      ...(number !== plan.baseline && gate !== undefined && { gate }),
    }
    try {
      await job.commit(async (tx) => {
        const input = { workspaceId, componentId, datasetId, runId, name, config }
        const { id } = await startEvaluation({ db: dbWithin(tx), clock, newId }, deps.quotas, input)
        await setEvaluation(tx, { ...of, number }, id)
      })
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      return `The run of ${name} was not evaluated: ${error.message}`
    }
  }
  return undefined
}

async function hasOpenEvaluation({ job }: Trialing, variants: readonly Variant[]): Promise<boolean> {
  for (const { evaluationId } of variants) {
    if (evaluationId === null) continue
    const evaluation = await findEvaluation(job.db.read, job.workspaceId, evaluationId)
    if (evaluation?.status === 'pending' || evaluation?.status === 'running') return true
  }
  return false
}

async function finish(trialing: Trialing, variants: readonly Variant[], problem: string | undefined): Promise<void> {
  const { job, of, trial } = trialing
  const results = await readResults(trialing, variants)
  const { done } = progressOf(variants)
  const reason = done > 0 ? undefined : await whyNothingWorked(trialing)
  const error = reason ?? problem ?? trial.error
  const now = timestamp(job.clock.now())
  await job.commit((tx) =>
    updateTrial(tx, of, {
      status: done > 0 ? 'completed' : 'failed',
      phase: 'ended',
      error,
      results: JSON.stringify(results),
      completed_at: now,
      now,
      onlyIf: ['running'],
    }),
  )
}

async function whyNothingWorked({ job, of, trial }: Trialing): Promise<string> {
  const [most] = await listFailures(job.db.read, of, 1)
  return `No call has an answer: ${most?.reason ?? trial.error ?? 'all of them were skipped'}`
}

async function readResults(trialing: Trialing, variants: readonly Variant[]): Promise<TrialResults> {
  const { job, of } = trialing
  const durations: TrialResults['durations'] = {}
  for (const { number } of variants) {
    const values = await listDurations(job.db.read, of, number)
    const median = quartiles(values)?.median
    if (median === undefined) continue
    const sorted = values.toSorted((a, b) => a - b)
    const ranks = quantileRanks(sorted.length, 0.5)
    durations[number] = { median, ci: ranks ? [sorted[ranks[0] - 1] ?? median, sorted[ranks[1] - 1] ?? median] : null }
  }
  const judges = Object.fromEntries(await judgesOf(job.db.read, of.workspaceId, variants, NO_RESULTS))
  return { durations, judges, ...(await compareVariants(trialing, variants, durations)) }
}
