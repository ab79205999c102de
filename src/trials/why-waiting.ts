/** Why calls wait in a trial that has not ended. Its readers, people and agents, see neither the jobs of the server nor the workers of others. */
import type { Clock } from '../base/clock.ts'
import type { Queries } from '../storage/db.ts'
import { listDueCalls } from './calls/call-queries.ts'
import { countRunningByVariant, findRetryOf } from './calls/idle-queries.ts'
import { isTurnAwaited, type TrialRow } from './trial-queries.ts'
import type { TrialDetail } from './trial-schemas.ts'
import type { Variant } from './variant-queries.ts'

type Waiting = TrialDetail['waiting'][number]
type Reading = { q: Queries; clock: Clock }

export async function whyWaiting(
  { q, clock }: Reading,
  trial: TrialRow,
  { variants, waitsBehind }: { variants: readonly Variant[]; waitsBehind: number },
): Promise<Waiting[]> {
  if (trial.status !== 'pending' && trial.status !== 'running') return []
  const calls = variants.reduce((sum, variant) => sum + openCalls(variant), 0)
  const ofAll = { variant: null, calls, until: null }
  if (trial.phase === 'evaluating') return [{ ...ofAll, reason: 'evaluations', summary: EVALUATED }]
  const of = { workspaceId: trial.workspaceId, trialId: trial.id }
  if (trial.status === 'pending' || (await isTurnAwaited(q, clock, of)))
    return [{ ...ofAll, reason: 'turn', summary: turnSummary(waitsBehind) }]
  if (trial.phase !== 'calling' || trial.endedBy !== null) return []
  const running = await countRunningByVariant(q, of)
  const waiting: Waiting[] = []
  for (const variant of variants) {
    const { number, endedBy, brokenReason } = variant
    if (endedBy !== null || brokenReason !== null || openCalls(variant) === 0 || running.has(number)) continue
    const found = await whyIdle({ q, clock }, { ...of, variant })
    if (found) waiting.push({ ...found, variant: variant.name, calls: openCalls(variant) })
  }
  return waiting
}

const EVALUATED = 'All calls have ended; the answers are being evaluated'

function turnSummary(before: number): string {
  if (before === 0) return 'The trial waits for a free job of the server'
  const trials = before === 1 ? 'One trial of the application has' : `${before} trials of the application have`
  return `${trials} started before and not ended`
}

/** Why no call of a variant runs. Undefined between two calls, and if its next calls wait for a look. */
async function whyIdle(
  { q, clock }: Reading,
  { variant, ...of }: { workspaceId: string; trialId: string; variant: Variant },
): Promise<Omit<Waiting, 'variant' | 'calls'> | undefined> {
  const ofVariant = { ...of, variant: variant.number }
  const retry = await findRetryOf(q, clock, ofVariant)
  if (retry)
    return { reason: 'retry', until: retry.dueAt, summary: `Calls are sent again after an error: ${retry.reason}` }
  if (variant.target.type !== 'worker') return undefined
  const [due] = await listDueCalls(q, clock, { ...ofVariant, limit: 1 })
  if (!due) return undefined
  const queue = JSON.stringify(variant.target.queue)
  return { reason: 'worker', until: null, summary: `No worker has a call of the queue ${queue}` }
}

function openCalls({ total, done, failed, skipped }: Variant): number {
  return Math.max(0, total - done - failed - skipped)
}
