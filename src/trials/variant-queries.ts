import { sql } from 'kysely'
import { nanosOf } from '../spending/spending-limit.ts'
import type { Queries } from '../storage/db.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Target } from './targets/target.ts'
import { activeTrials, type TrialScope } from './trial-queries.ts'

export type Variant = {
  number: number
  name: string
  target: Target
  runId: string
  evaluationId: string | null
  brokenReason: string | null
  endedBy: 'decided' | 'futile' | null
  total: number
  done: number
  failed: number
  skipped: number
  nanoUsd: number
  tokens: number
  /** What the judges of replaced evaluations have cost. */
  judgesNanoUsd: number
}

export async function insertVariants(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  variants: readonly Pick<Variant, 'number' | 'name' | 'target' | 'runId' | 'total'>[],
): Promise<void> {
  const rows = variants.map(({ number, name, target, runId, total }) => ({
    workspace_id: workspaceId,
    trial_id: trialId,
    number,
    name,
    target_type: target.type,
    queue: target.type === 'worker' ? target.queue : null,
    target: JSON.stringify(target),
    run_id: runId,
    evaluation_id: null,
    broken_reason: null,
    calls_total: total,
    calls_done: 0,
    calls_failed: 0,
    calls_skipped: 0,
    spent_nano_usd: 0,
  }))
  await tx.insertInto('trial_variants').values(rows).execute()
}

export async function listVariants(q: Queries, { workspaceId, trialId }: TrialScope): Promise<Variant[]> {
  const rows = await selectScoped(q, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId })
    .selectAll()
    .orderBy('number')
    .execute()
  return rows.map((row) => ({
    number: row.number,
    name: row.name,
    target: JSON.parse(row.target),
    runId: row.run_id,
    evaluationId: row.evaluation_id,
    brokenReason: row.broken_reason,
    endedBy: row.ended_by,
    total: row.calls_total,
    done: row.calls_done,
    failed: row.calls_failed,
    skipped: row.calls_skipped,
    nanoUsd: Number(row.spent_nano_usd),
    tokens: Number(row.tokens_used),
    judgesNanoUsd: Number(row.judges_nano_usd),
  }))
}

type OfVariant = TrialScope & { number: number }

type Counted = Pick<Variant, 'done' | 'failed' | 'skipped' | 'nanoUsd' | 'tokens'>

/** Adds to the counts of a variant, negative to subtract, in the transaction that changes its calls. */
export async function countCalls(
  tx: Queries,
  { workspaceId, trialId, number }: OfVariant,
  { done = 0, failed = 0, skipped = 0, nanoUsd = 0, tokens = 0 }: Partial<Counted>,
): Promise<void> {
  await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({
      calls_done: sql<number>`calls_done + ${sql.lit(done)}`,
      calls_failed: sql<number>`calls_failed + ${sql.lit(failed)}`,
      calls_skipped: sql<number>`calls_skipped + ${sql.lit(skipped)}`,
      spent_nano_usd: sql<number>`spent_nano_usd + ${sql.lit(nanoUsd)}`,
      tokens_used: sql<number>`tokens_used + ${sql.lit(tokens)}`,
    })
    .execute()
}

/** Breaks a variant that has no answer after this many failures. Returns whether it is broken now. */
export async function breakVariant(
  tx: Queries,
  { workspaceId, trialId, number }: OfVariant,
  { failuresMin, reason }: { failuresMin: number; reason: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'trial_variants', {
    workspace_id: workspaceId,
    trial_id: trialId,
    number,
  })
    .set({ broken_reason: reason })
    .where('broken_reason', 'is', null)
    .where('calls_done', '=', 0)
    .where('calls_failed', '>=', failuresMin)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** For a variant whose calls cannot be sent at all. */
export async function markBroken(
  tx: Queries,
  { workspaceId, trialId, number }: OfVariant,
  reason: string,
): Promise<void> {
  await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({ broken_reason: reason })
    .execute()
}

/** Every call of a trial that was canceled and has not ended is skipped, also if it was never a row. */
export async function skipUncounted(tx: Queries, { workspaceId, trialId }: TrialScope): Promise<void> {
  await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId })
    .set({ calls_skipped: sql<number>`calls_total - calls_done - calls_failed` })
    .execute()
}

/** A look has found that these variants need no more calls. */
export async function endVariants(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  ended: readonly { number: number; endedBy: 'decided' | 'futile' }[],
): Promise<void> {
  for (const { number, endedBy } of ended)
    await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId, number })
      .set({ ended_by: endedBy })
      .execute()
}

export async function mendVariants(tx: Queries, { workspaceId, trialId }: TrialScope): Promise<void> {
  await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId })
    .set({ broken_reason: null })
    .execute()
}

export async function setEvaluation(
  tx: Queries,
  { workspaceId, trialId, number }: OfVariant,
  evaluationId: string,
): Promise<void> {
  await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({ evaluation_id: evaluationId })
    .execute()
}

/** The run of the variant changes, so it is evaluated again. What the judges have cost is kept. */
export async function forgetEvaluation(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  { number, evaluationId }: Pick<Variant, 'number' | 'evaluationId'>,
): Promise<void> {
  if (evaluationId === null) return
  const spent = nanosOf((await findJudgeCosts(tx, workspaceId, [evaluationId])).get(evaluationId) ?? 0)
  await updateScoped(tx, 'trial_variants', { workspace_id: workspaceId, trial_id: trialId, number })
    .set({ evaluation_id: null, judges_nano_usd: sql<number>`judges_nano_usd + ${sql.lit(spent)}` })
    .execute()
}

/** What the judges of evaluations have cost so far, in dollars, also of deleted ones. */
export async function findJudgeCosts(
  q: Queries,
  workspaceId: string,
  evaluationIds: readonly string[],
): Promise<Map<string, number>> {
  if (evaluationIds.length === 0) return new Map()
  const rows = await selectScoped(q, 'evaluations', { workspace_id: workspaceId })
    .select(['id', 'spent_usd as spentUsd'])
    .where('id', 'in', evaluationIds)
    .execute()
  return new Map(rows.map(({ id, spentUsd }) => [id, Number(spentUsd)]))
}

/** The trials whose calls workers may fetch now, with the variants of the queue; oldest first. */
export async function listWorkingTrials(
  q: Queries,
  { workspaceId, componentId, queue, trialId }: WorkerQueue,
): Promise<{ trialId: string; datasetId: string; variants: { number: number; name: string }[] }[]> {
  let rows = activeTrials(q)
    .innerJoin('trial_variants as v', (join) =>
      join.onRef('v.workspace_id', '=', 't.workspace_id').onRef('v.trial_id', '=', 't.id'),
    )
    .select(['t.id as trialId', 't.dataset_id as datasetId', 'v.number', 'v.name'])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.component_id', '=', componentId)
    .where(sql<boolean>`t.status in ('pending', 'running')`)
    .where('t.phase', '=', 'calling')
    .where('t.ended_by', 'is', null)
    .where('v.queue', 'is not', null)
    .where('v.broken_reason', 'is', null)
    .where('v.ended_by', 'is', null)
  if (queue !== undefined) rows = rows.where('v.queue', '=', queue)
  if (trialId !== undefined) rows = rows.where('t.id', '=', trialId)
  const found = await rows.orderBy('t.id').orderBy('v.number').execute()
  return [...Map.groupBy(found, (row) => row.trialId)].map(([id, variants]) => ({
    trialId: id,
    datasetId: variants[0]?.datasetId ?? '',
    variants: variants.map(({ number, name }) => ({ number, name })),
  }))
}

export type WorkerQueue = {
  workspaceId: string
  componentId: string
  queue?: string | undefined
  trialId?: string | undefined
}

/** What all calls of a trial have cost, in billionths of a dollar. */
export function spentOf(variants: readonly Pick<Variant, 'nanoUsd'>[]): number {
  return variants.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0)
}
