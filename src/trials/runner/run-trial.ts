/**
 * Runs a trial as a job. The phases, in order:
 *
 * 1. `planning`: every call becomes a row before the first one begins (`plan-calls.ts`). After a retry, `requeuing` does the same for the
 *    calls that are sent again (`requeue-calls.ts`).
 * 2. `calling`: the job sends the calls of prompts and endpoints (`send-due-calls.ts`); workers fetch theirs by requests, and the job waits for them
 *    without a slot. It also returns calls whose lease is over, and skips what is not needed any more: when the time or the budget of the
 *    trial ends, and of variants that only fail. A trial that stops early lets calls begin up to the next look, which ends variants that
 *    are decided or futile (`looks/take-look.ts`).
 * 3. `evaluating`: an evaluation of the run of each variant, first the baseline; then all runs are compared (`evaluate-runs.ts`).
 * 4. `ended`: the final status and the results.
 *
 * After a crash another worker claims the job and continues with the phase that is stored. A call has one end, because its row changes only
 * from a state that is not final, in the transaction that stores its trace and its cost. Calls that were sent and have no answer are charged
 * at their maximum and sent again. All writes go through `job.commit`, which fails when another worker has claimed the job.
 */
import { timestamp } from '../../base/clock.ts'
import { watchForStops } from '../../base/stops.ts'
import type { JobHandler, JobPause } from '../../jobs/job-handler.ts'
import { hasLostCalls, hasOpenCalls } from '../calls/call-queries.ts'
import { recoverLostCalls } from '../calls/recover-lost.ts'
import { CANCELED } from '../change-trial.ts'
import { takeLook } from '../looks/take-look.ts'
import type { Plan } from '../read-plan.ts'
import { findTrial, type TrialRow, updateTrial } from '../trial-queries.ts'
import { listVariants, spentOf, type Variant } from '../variant-queries.ts'
import { evaluateRuns } from './evaluate-runs.ts'
import { planCalls } from './plan-calls.ts'
import { requeueCalls } from './requeue-calls.ts'
import { recoverSentCalls, sendDueCalls } from './send-due-calls.ts'
import { NOT_NEEDED, skipCanceled, skipUnneeded } from './skip-calls.ts'
import type { EndedBy, TrialDeps, Trialing } from './trialing.ts'

export function createTrialHandler(shared: TrialDeps): JobHandler {
  return {
    kind: 'trial',

    async run(job) {
      const of = { workspaceId: job.workspaceId, trialId: job.payload.trialId ?? '' }
      const trial = await findTrial(job.db.read, of)
      if (!trial) return
      const deps = { ...shared, clock: job.clock, newId: job.newId }
      const stops = watchForStops(job, async () => {
        const seen = await findTrial(job.db.read, of)
        return seen === undefined || seen.status === 'failed' ? 'end' : 'continue'
      })
      const trialing = { job, deps, trial, of, plan: JSON.parse(trial.plan), ...stops }
      try {
        return await runPhases(trialing)
      } finally {
        stops.end()
      }
    },

    async onFailed(tx, { workspaceId, payload, clock }, reason) {
      const now = timestamp(clock.now())
      const error = `The trial was tried several times and did not end: ${reason}`
      const ended = { status: 'failed', phase: 'ended', error, completed_at: now } as const
      const of = { workspaceId, trialId: payload.trialId ?? '' }
      await updateTrial(tx, of, { ...ended, now, onlyIf: ['pending', 'running'] })
    },
  }
}

async function runPhases(trialing: Trialing): Promise<'requeue' | JobPause | undefined> {
  const { job, of, plan, deps } = trialing
  let { trial } = trialing
  if (trial.phase === 'planning') {
    const variants = await listVariants(job.db.read, of)
    await planCalls(job, of, plan, variants.length)
  }
  if (trial.phase === 'requeuing') await requeueCalls(trialing)
  // Sent by a worker that is gone: this job has just been claimed.
  if (trial.phase === 'calling' || trial.phase === 'ended') await recoverSentCalls(trialing)
  for (;;) {
    const found = await findTrial(job.db.read, of)
    if (!found || job.signal.aborted) return undefined
    trial = found
    if (trial.status === 'failed') return trial.endedBy === 'canceled' ? skipCanceled(trialing, CANCELED) : undefined
    if (trial.status === 'completed') return undefined
    if (trial.phase === 'evaluating') return evaluateRuns({ ...trialing, trial })
    if (trial.phase !== 'calling') return undefined
    const variants = await listVariants(job.db.read, of)
    await recoverLost({ ...trialing, trial }, variants)
    const endedBy = await endBy({ ...trialing, trial }, variants)
    await skipUnneeded({ ...trialing, trial }, variants, endedBy)
    const sent = endedBy ? 'nothing is due' : await sendDueCalls({ ...trialing, trial }, variants)
    if (job.signal.aborted) return undefined
    if (sent === 'stopped' && trialing.softStop.aborted && !trialing.hardStop.aborted) return 'requeue'
    if (sent !== 'nothing is due') continue
    if (await hasOpenCalls(job.db.read, of)) return pauseFor(trialing, deps.pauseSeconds)
    if (!endedBy && (await takeLook({ ...trialing, trial }, variants))) continue
    const now = timestamp(job.clock.now())
    const phase = { phase: 'evaluating', ended_by: endedBy?.endedBy ?? 'done' } as const
    await job.commit((tx) => updateTrial(tx, of, { ...phase, now, onlyIf: ['running'] }), { resetAttempts: true })
  }
}

/** Without a slot, until a worker ends the last call, or until the job looks by itself. */
function pauseFor({ of, job }: Trialing, pauseSeconds: number): JobPause {
  return {
    pauseSeconds,
    // It may have been canceled since its calls were looked for.
    isStillWaiting: async (tx) =>
      (await findTrial(tx, of))?.status === 'running' &&
      (await hasOpenCalls(tx, of)) &&
      !(await hasLostCalls(tx, job.clock, of)),
  }
}

async function recoverLost({ job, deps, trial, of }: Trialing, variants: readonly Variant[]): Promise<void> {
  if (!(await hasLostCalls(job.db.read, job.clock, of))) return
  while (!job.signal.aborted && (await job.commit((tx) => recoverLostCalls(tx, deps, { trial, variants }))));
}

/** Whether the trial gets no more calls; stored, so that workers get none either. */
async function endBy({ job, of, plan, trial }: Trialing, variants: readonly Variant[]): Promise<EndedBy | undefined> {
  const ended = whyEnded(variants, { trial, plan, now: job.clock.now() })
  if (!ended || trial.endedBy !== null) return ended
  const now = timestamp(job.clock.now())
  await job.commit((tx) =>
    updateTrial(tx, of, { ended_by: ended.endedBy, error: ended.reason, now, onlyIf: ['running'] }),
  )
  return ended
}

function whyEnded(
  variants: readonly Variant[],
  { trial, plan, now }: { trial: TrialRow; plan: Plan; now: number },
): EndedBy | undefined {
  const { endedBy, error, endsAt, maxNanoUsd } = trial
  if (endedBy === 'budget' || endedBy === 'time') return { endedBy, reason: error ?? '' }
  if (endedBy === 'decided' || endedBy === 'futile') return { endedBy, reason: NOT_NEEDED }
  const spent = spentOf(variants)
  if (maxNanoUsd !== null && spent >= Number(maxNanoUsd))
    return { endedBy: 'budget', reason: `The cost limit of $${Number(maxNanoUsd) / 1e9} (maxCostUsd) is reached` }
  if (endsAt !== null && now >= Date.parse(endsAt))
    return { endedBy: 'time', reason: `The time limit of ${plan.maxMinutes} minutes (maxMinutes) is reached` }
  return undefined
}
