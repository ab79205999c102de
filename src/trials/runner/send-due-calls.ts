/**
 * Sends the calls that are due, of prompts and endpoints, and takes recorded answers. A few concurrent tasks each send one and store its end, so a call that hangs blocks only one of
 * them. All progress is in the database: after a crash the next worker finds what is open.
 */
import { timestamp } from '../../base/clock.ts'
import { AppError } from '../../base/errors.ts'
import { openModelSession } from '../../spending/model-session.ts'
import { type CallRow, listDueCalls, listLostCalls } from '../calls/call-queries.ts'
import { returnAttempt } from '../calls/end-call.ts'
import { endingOf } from '../calls/recover-lost.ts'
import { openEndpoint } from '../targets/http-target.ts'
import { openPrompt } from '../targets/prompt-target.ts'
import { updateTrial } from '../trial-queries.ts'
import { listVariants, markBroken, type Variant } from '../variant-queries.ts'
import type { Flight } from './call-budget.ts'
import { createPool } from './pool.ts'
import { reportedCost, sendHttpCall } from './send-http-call.ts'
import { sendPromptCall } from './send-prompt-call.ts'
import { sendRecordedCall } from './send-recorded-call.ts'
import type { Sending } from './sending.ts'
import type { Trialing } from './trialing.ts'

const CALLS_PER_TRANSACTION = 100

/** `again`: something has changed that the job must look at. */
export async function sendDueCalls(
  trialing: Trialing,
  variants: readonly Variant[],
): Promise<'nothing is due' | 'stopped' | 'again'> {
  const { job, of, plan, trial, deps, softStop } = trialing
  const opened = await openVariants(trialing, variants)
  if (opened === 'again') return 'again'
  const open: Map<number, Sending> = opened
  const flight: Flight = new Map()
  const pool = createPool()
  let page: CallRow[] = []
  let refilling = Promise.resolve()
  let sent = 0
  let isOver = false

  /** One task at a time, or two could choose the same call. */
  async function next(): Promise<CallRow | undefined> {
    const turn = Promise.withResolvers<void>()
    const before = refilling
    refilling = turn.promise
    await before
    try {
      if (page.length === 0) page = await listDue()
      let call = page.shift()
      // Paused or broken since the page was read.
      while (call && !isSendable(open.get(call.variant))) call = page.shift()
      if (call) flight.set(call.number, 0)
      return call
    } finally {
      turn.resolve()
    }
  }

  function isSendable(sending: Sending | undefined): sending is Sending {
    return sending !== undefined && deps.backoff.leftMs(sending.pausedBy) === 0
  }

  async function listDue(): Promise<CallRow[]> {
    const limit = 2 * plan.concurrency
    const due: CallRow[] = []
    for (const [variant, sending] of open) {
      if (!isSendable(sending)) continue
      const calls = await listDueCalls(job.db.read, job.clock, { ...of, variant, limit: limit + flight.size })
      due.push(...calls.filter(({ number }) => !flight.has(number)))
    }
    return due.sort((a, b) => a.number - b.number).slice(0, limit)
  }

  const hasTime = () => trial.endsAt === null || job.clock.now() < Date.parse(trial.endsAt)

  async function work(): Promise<void> {
    while (!softStop.aborted && !isOver && hasTime()) {
      const call = await next()
      const sending = call && open.get(call.variant)
      if (!call || !sending) return
      sent += 1
      pool.enter()
      try {
        const end = await sending.send({ call, flight, pool, isOver: () => isOver })
        if (end === 'broken') open.delete(call.variant)
        if (typeof end === 'object') {
          isOver = true
          await endByBudget(trialing, end.overBudget)
        }
      } finally {
        flight.delete(call.number)
        pool.leave()
      }
    }
  }

  const tasks = Array.from({ length: plan.concurrency }, () =>
    work().catch((error: unknown) => {
      // The cause, such as a lost lease, affects all tasks.
      isOver = true
      pool.wake()
      throw error
    }),
  )
  const failed = (await Promise.allSettled(tasks)).find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  if (softStop.aborted) return 'stopped'
  return sent > 0 || isOver ? 'again' : 'nothing is due'
}

async function endByBudget({ job, of }: Trialing, reason: string): Promise<void> {
  const now = timestamp(job.clock.now())
  await job.commit((tx) => updateTrial(tx, of, { ended_by: 'budget', error: reason, now, onlyIf: ['running'] }))
}

/** Those with open calls. What was deleted since the trial was created breaks its variant. */
async function openVariants(trialing: Trialing, variants: readonly Variant[]): Promise<Map<number, Sending> | 'again'> {
  const { job, of } = trialing
  const opened = new Map<number, Sending>()
  for (const variant of variants) {
    const { number, brokenReason, endedBy, total, done, failed, skipped } = variant
    if (brokenReason !== null || endedBy !== null || done + failed + skipped >= total) continue
    try {
      const sending = await openVariant(trialing, variant)
      if (sending) opened.set(number, sending)
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      await job.commit((tx) => markBroken(tx, { ...of, number }, error.message))
      return 'again'
    }
  }
  return opened
}

/** Undefined if programs of the user fetch its calls. */
async function openVariant(trialing: Trialing, variant: Variant): Promise<Sending | undefined> {
  const { job, deps, of, trial, hardStop, softStop } = trialing
  const { db, clock, workspaceId } = job
  const { target } = variant
  if (target.type === 'worker') return undefined
  if (target.type === 'recorded')
    return { variant, pausedBy: 'recorded', send: (calling) => sendRecordedCall(trialing, variant, calling) }
  if (target.type === 'http') {
    const { id } = await openEndpoint(db.read, deps.access.secrets, workspaceId, target)
    const opened = { variant, target, pausedBy: `endpoint ${id}` }
    return { ...opened, send: (calling) => sendHttpCall(trialing, opened, calling) }
  }
  const { componentId } = trial
  const prompt = await openPrompt(db.read, deps.access, { workspaceId, componentId, target, now: clock.now() })
  const options = { source: prompt.source, kind: 'trials' as const, owner: of.trialId, hardStop, softStop }
  const session = await openModelSession({ db, workspaceId, clock }, deps, options)
  const opened = { variant, target, prompt, session }
  const pausedBy = prompt.source.connection.id
  return { variant, pausedBy, send: (calling) => sendPromptCall(trialing, opened, calling) }
}

/** Calls that were sent by a worker that is gone. A provider may bill them, so those of prompts are charged at their maximum. */
export async function recoverSentCalls({ job, of, trial }: Trialing): Promise<void> {
  const variants = await listVariants(job.db.read, of)
  const recoverSome = async () =>
    job.commit(async (tx) => {
      const lost = await listLostCalls(tx, of, { limit: CALLS_PER_TRANSACTION })
      for (const call of lost) {
        const variant = variants.find(({ number }) => number === call.variant)
        if (!variant) continue
        const ending = endingOf(trial, variant, call)
        const isHttp = variant.target.type === 'http'
        const nanoUsd = isHttp ? await reportedCost(tx, ending) : call.reservedNanoUsd
        const reason = isHttp ? SENT_AGAIN : CHARGED
        await returnAttempt(tx, { clock: job.clock }, ending, { errors: call.errors, dueSeconds: 0, reason, nanoUsd })
      }
      return lost.length === CALLS_PER_TRANSACTION
    })
  while (!job.signal.aborted && (await recoverSome()));
}

const SENT_AGAIN = 'The server was stopped before the answer came; the call is sent again'
const CHARGED = 'The server was stopped before the answer came; the call is charged at its maximum and sent again'
