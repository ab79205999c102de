/** The calls of an experiment. The condition of the index of open calls is repeated here as a literal, because an engine does not match parameters with it. */
import { sql } from 'kysely'
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { dbNow } from '../../storage/dialect.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import type { Tables } from '../../storage/tables.ts'
import type { ExperimentScope } from '../experiment-queries.ts'
import type { NewCall } from '../search/search.ts'

const OPEN = sql<boolean>`state in ('queued', 'running', 'retrying')`

type CallState = Tables['experiment_calls']['state']

export type OpenCall = {
  number: number
  kind: NewCall['kind']
  iteration: number
  itemId: string | null
  state: CallState
  errors: number
  /** How many attempts have begun. */
  attempt: number
  reservedNanoUsd: number
  isDue: boolean
}

export type CallScope = ExperimentScope & { number: number }

function ofExperiment(q: Queries, { workspaceId, experimentId }: ExperimentScope) {
  return selectScoped(q, 'experiment_calls', { workspace_id: workspaceId, experiment_id: experimentId })
}

/** Numbered from `first`. */
export async function insertExperimentCalls(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  { calls, first }: { calls: readonly NewCall[]; first: number },
): Promise<void> {
  await insertNewRows(
    tx,
    {
      table: 'experiment_calls',
      columns: ['workspace_id', 'experiment_id', 'number', 'kind', 'iteration', 'item_id', 'state'],
      rows: calls.map(({ kind, candidate, itemId }, place) => [
        workspaceId,
        experimentId,
        first + place,
        kind,
        candidate,
        itemId,
        'queued',
      ]),
    },
    ['number'],
  )
}

export async function listOpenExperimentCalls(q: Queries, clock: Clock, of: ExperimentScope): Promise<OpenCall[]> {
  const rows = await ofExperiment(q, of)
    .select([
      'number',
      'kind',
      'iteration',
      'item_id as itemId',
      'state',
      'errors',
      'attempt',
      'reserved_nano_usd as reservedNanoUsd',
      sql<number>`case when due_at is null or due_at <= ${dbNow(q, clock, 0)} then 1 else 0 end`.as('isDue'),
    ])
    .where(OPEN)
    .orderBy('number')
    .execute()
  return rows.map((row) => ({ ...row, reservedNanoUsd: Number(row.reservedNanoUsd), isDue: Number(row.isDue) === 1 }))
}

/** What the search reads of all calls: small columns only. */
export async function listCallValues(q: Queries, of: ExperimentScope) {
  const rows = await ofExperiment(q, of)
    .select(['number', 'kind', 'iteration', 'item_id as itemId', 'state', 'value', 'reason', 'nano_usd as nanoUsd'])
    .orderBy('number')
    .execute()
  return rows.map((row) => ({ ...row, nanoUsd: Number(row.nanoUsd) }))
}

export type CallValue = Awaited<ReturnType<typeof listCallValues>>[number]

/** The scores of all evaluators, of some candidates or of all. */
export async function listCallScores(q: Queries, of: ExperimentScope, iterations?: readonly number[]) {
  let rows = ofExperiment(q, of)
    .select(['iteration', 'kind', 'item_id as itemId', 'state', 'value', 'scores', 'reason', 'nano_usd as nanoUsd'])
    .where('kind', '!=', 'reflection')
  if (iterations) rows = rows.where('iteration', 'in', iterations)
  const found = await rows.orderBy('number').execute()
  return found.map(({ scores, ...row }) => ({
    ...row,
    nanoUsd: Number(row.nanoUsd),
    scores: scores === null ? {} : readScores(scores),
  }))
}

export type StoredScores = Record<string, { score: number | null; reason: string | null }>

function readScores(text: string): StoredScores {
  return JSON.parse(text)
}

/** How long an answer took on average, by candidate; none if that is not known. */
export async function meanDurations(q: Queries, of: ExperimentScope): Promise<Map<number, number>> {
  const rows = await ofExperiment(q, of)
    .select(({ fn }) => ['iteration', fn.avg<number>('duration_ms').as('durationMs')])
    .where('kind', '!=', 'reflection')
    .where('duration_ms', 'is not', null)
    .groupBy('iteration')
    .execute()
  return new Map(rows.map(({ iteration, durationMs }) => [iteration, Number(durationMs)]))
}

/** The answers of a candidate that have ended, in the order of their calls. */
export async function listIterationAnswers(
  q: Queries,
  of: ExperimentScope,
  { iteration, after, limit }: { iteration: number; after: number; limit: number },
) {
  const rows = await ofExperiment(q, of)
    .select(['number', 'kind', 'item_id as itemId', 'value', 'scores', 'reason', 'nano_usd as nanoUsd'])
    .select('trace_id as traceId')
    .where('iteration', '=', iteration)
    .where('number', '>', after)
    .where('kind', '!=', 'reflection')
    .where('state', 'in', ['done', 'failed'])
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map(({ kind, itemId, nanoUsd, scores, ...row }) => ({
    ...row,
    split: kind === 'validation' ? ('validation' as const) : ('train' as const),
    itemId: itemId ?? '',
    nanoUsd: Number(nanoUsd),
    scores: scores === null ? {} : readScores(scores),
  }))
}

/** Of the answers of some candidates to validation items, and of their reflections, which have no item. */
export async function listCallTraces(q: Queries, of: ExperimentScope, iterations: readonly number[]) {
  return ofExperiment(q, of)
    .select(['iteration', 'item_id as itemId', 'trace_id as traceId'])
    .where('iteration', 'in', iterations)
    .where('kind', 'in', ['validation', 'reflection'])
    .where('trace_id', 'is not', null)
    .orderBy('number')
    .execute()
}

/** The answers of a candidate to some items, for the reflection. */
export async function listAnswers(
  q: Queries,
  of: ExperimentScope,
  { iteration, itemIds }: { iteration: number; itemIds: readonly string[] },
) {
  const rows = await ofExperiment(q, of)
    .select(['item_id as itemId', 'output', 'value', 'scores', 'reason'])
    .where('iteration', '=', iteration)
    .where('kind', '=', 'train')
    .where('item_id', 'in', itemIds)
    .execute()
  return new Map(
    rows.map(({ itemId, scores, ...row }) => [
      itemId ?? '',
      { ...row, scores: scores === null ? {} : readScores(scores) },
    ]),
  )
}

/** What the reflections have proposed, as JSON, by candidate. */
export async function listReflections(q: Queries, of: ExperimentScope): Promise<Map<number, string>> {
  const rows = await ofExperiment(q, of)
    .select(['iteration', 'output'])
    .where('kind', '=', 'reflection')
    .where('output', 'is not', null)
    .execute()
  return new Map(rows.flatMap(({ iteration, output }) => (output === null ? [] : [[iteration, output]])))
}

/** Begins or continues an attempt, with what its requests may cost. Returns false if the call has ended. */
export async function reserveForExperimentCall(
  tx: Queries,
  { workspaceId, experimentId, number }: CallScope,
  { nanoUsd, attempt }: { nanoUsd: number; attempt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'experiment_calls', {
    workspace_id: workspaceId,
    experiment_id: experimentId,
    number,
  })
    .set({ state: 'running', attempt, reserved_nano_usd: nanoUsd, due_at: null })
    .where(OPEN)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

type Ended = {
  state: 'done' | 'failed' | 'skipped'
  nanoUsd: number
  value?: number | null
  reason?: string | null
  scores?: StoredScores
  output?: string | null
  /** Null if none is stored. */
  traceId?: string | null
  durationMs?: number | null
}

/** Returns false if the call has ended: it has one end. */
export async function endExperimentCall(
  tx: Queries,
  { workspaceId, experimentId, number }: CallScope,
  { state, nanoUsd, value = null, reason = null, scores, output = null, traceId = null, durationMs = null }: Ended,
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'experiment_calls', {
    workspace_id: workspaceId,
    experiment_id: experimentId,
    number,
  })
    .set({
      state,
      nano_usd: sql<number>`nano_usd + ${sql.lit(nanoUsd)}`,
      reserved_nano_usd: 0,
      due_at: null,
      value,
      reason,
      scores: scores === undefined ? null : JSON.stringify(scores),
      output,
      trace_id: traceId,
      duration_ms: durationMs,
    })
    .where(OPEN)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lets a call that was sent wait again. The cost of the attempt is kept. */
export async function returnExperimentCall(
  tx: Queries,
  clock: Clock,
  { workspaceId, experimentId, number }: CallScope,
  { errors, dueSeconds, reason, nanoUsd }: { errors: number; dueSeconds: number; reason: string; nanoUsd: number },
): Promise<void> {
  await updateScoped(tx, 'experiment_calls', { workspace_id: workspaceId, experiment_id: experimentId, number })
    .set({
      state: 'retrying',
      errors,
      due_at: dueSeconds === 0 ? null : dbNow(tx, clock, dueSeconds),
      reason,
      nano_usd: sql<number>`nano_usd + ${sql.lit(nanoUsd)}`,
      reserved_nano_usd: 0,
    })
    .where(OPEN)
    .execute()
}

/** Lets answers that have failed without a value wait again. */
export async function requeueFailedAnswers(tx: Queries, { workspaceId, experimentId }: ExperimentScope): Promise<void> {
  await updateScoped(tx, 'experiment_calls', { workspace_id: workspaceId, experiment_id: experimentId })
    .set({ state: 'queued', errors: 0, reason: null })
    .where('state', '=', 'failed')
    .where('kind', '!=', 'reflection')
    .where('value', 'is', null)
    .execute()
}

export async function skipExperimentCalls(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  reason: string,
): Promise<void> {
  await updateScoped(tx, 'experiment_calls', { workspace_id: workspaceId, experiment_id: experimentId })
    .set({ state: 'skipped', reason, due_at: null })
    .where(OPEN)
    .execute()
}

export async function countExperimentCalls(q: Queries, of: ExperimentScope) {
  const rows = await ofExperiment(q, of)
    .select(({ fn }) => ['kind', 'state', fn.countAll<number>().as('count'), fn.sum<number>('nano_usd').as('nanoUsd')])
    .groupBy(['kind', 'state'])
    .execute()
  return rows.map(({ kind, state, count, nanoUsd }) => ({
    kind,
    state,
    count: Number(count),
    nanoUsd: Number(nanoUsd),
  }))
}
