/**
 * Frees the space of what was deleted. The delete itself only marks one row, in one transaction, after which nothing below it
 * is visible; the rows go here, in small chunks of their own transactions, so that the largest delete stalls nobody.
 *
 * Safe to run twice and to be killed anywhere: each chunk deletes what is still there, children before parents.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { NIL_ID } from '../base/ids.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobHandler, JobRun } from '../jobs/job-handler.ts'
import type { Queries } from '../storage/db.ts'
import { isBrokenReference, lockForUpdate, skippingLocked } from '../storage/dialect.ts'
import type { Tables } from '../storage/tables.ts'

const CHUNK_ROWS = 500
/** Until somebody who is changing what is to be deleted may have done so. */
const LOCKED_PAUSE_MS = 20
/** Spans and items may hold megabytes each; one statement should not hold the process for long. */
const LARGE_ROWS_PER_STATEMENT = 25

export type PurgeTarget = {
  workspaceId: string
  what: 'workspace' | 'component' | 'dataset' | 'run' | 'evaluation'
  id: string
}

export async function reclaimLater(
  tx: Queries,
  context: Parameters<typeof enqueueJob>[1],
  { workspaceId, what, id }: PurgeTarget,
): Promise<void> {
  await enqueueJob(tx, context, { workspaceId, kind: 'reclaim', payload: { what, id } })
}

export const reclaimHandler: JobHandler = {
  kind: 'reclaim',
  async run(job) {
    while (!job.signal.aborted && !(await freeAll(job))) await yieldToEventLoop()
  },
  // Nothing to tell anybody: what remains is invisible, and the failed job stays to be looked at.
  async onFailed() {},
}

/**
 * False when something was added to what was already empty, by somebody who had looked before the delete: that goes first then. They
 * cannot keep coming: nobody who looks now finds where to add.
 */
async function freeAll({ workspaceId, payload, signal, db, write }: JobRun): Promise<boolean> {
  try {
    for (const step of stepsFor(payload.what, workspaceId, payload.id ?? '')) {
      while (!signal.aborted && (await hasRows(db.read, workspaceId, step))) {
        const hasFreed = await write((tx) => (step.free ? step.free(tx) : deleteChunk(tx, workspaceId, step)))
        if (hasFreed) await yieldToEventLoop()
        else await delay(LOCKED_PAUSE_MS)
      }
    }
    return true
  } catch (error) {
    if (isBrokenReference(error)) return false
    throw error
  }
}

type Step = {
  table: keyof Tables
  key: readonly string[]
  where: RawBuilder<boolean>
  /** Deleted by one statement, where rows are large. */
  rowsPerStatement?: number
  /** What to do with a chunk where the rows themselves stay. */
  free?: (tx: Queries) => Promise<boolean>
}

/** Asked anew for each chunk: one that had to wait for another job may have deleted nothing although rows remain. */
async function hasRows(q: Queries, workspaceId: string, { table, where }: Step): Promise<boolean> {
  const query = sql`select 1 from ${sql.table(table)} where ${scope(table, workspaceId)} and ${where} limit 1`
  return (await query.execute(q)).rows.length > 0
}

/**
 * Leaves out what somebody is changing at this moment, and answers false if that is all there is: to wait for it while holding other
 * rows makes two wait for each other, such as an evaluation that is running and its delete.
 */
async function deleteChunk(tx: Queries, workspaceId: string, step: Step): Promise<boolean> {
  const { table, key, where, rowsPerStatement = CHUNK_ROWS } = step
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const some = sql`select ${columns} from ${sql.table(table)}
    where ${scope(table, workspaceId)} and ${where} limit ${sql.lit(rowsPerStatement)} ${skippingLocked(tx)}`
  let deleted = 0
  for (let rows = 0; rows < CHUNK_ROWS; rows += rowsPerStatement) {
    if (rows > 0) await yieldToEventLoop()
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (${some})`.execute(tx)
    deleted += Number(numAffectedRows)
    if (Number(numAffectedRows) < rowsPerStatement) break
  }
  return deleted > 0
}

/**
 * Lets some traces go from a component that is deleted: they stay, and belong to none. What they add to the sums goes with them in the
 * same transaction, or the next late span would be taken out of a sum that never had it. Those that are marked as deleted are in no sum.
 */
async function releaseTraces(tx: Queries, workspaceId: string, componentId: string): Promise<boolean> {
  const some = await tx
    .selectFrom('traces')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('component_id', '=', componentId)
    .orderBy('id')
    .limit(CHUNK_ROWS)
    .execute()
  if (some.length === 0) return false
  const ids = some.map(({ id }) => id)
  const ofComponent = tx
    .selectFrom('traces')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('component_id', '=', componentId)
    .where('id', 'in', ids)
    .orderBy('trace_id')
  // In the order in which ingestion holds them, traces before sums, so that neither waits for the other for ever.
  const held = (await lockForUpdate(tx, ofComponent).execute()).map(({ id }) => id)
  if (held.length === 0) return false
  await moveSums(tx, workspaceId, held)
  await tx
    .updateTable('traces')
    .set({ component_id: null })
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', held)
    .execute()
  return true
}

/** Each trace counts four times: taken from the sums of its component, of its hour and of all time, and added to those of none. */
async function moveSums(tx: Queries, workspaceId: string, traceIds: readonly string[]): Promise<void> {
  await sql`insert into trace_rollups
      (workspace_id, hour, component_id, status, service, environment, traces, tokens, cost_usd)
    select workspace_id, case span when 'hour' then start_ns / ${sql.lit(HOUR_NS)} else ${sql.lit(ALL_TIME)} end, case sign when 1 then ${sql.lit(NIL_ID)} else component_id end,
      status, coalesce(service, ''), coalesce(environment, ''),
      sum(sign), sum(sign * coalesce(total_tokens, 0)), sum(sign * coalesce(cost_usd, 0))
    from traces cross join (select -1 as sign union all select 1) as signs
      cross join (select 'hour' as span union all select 'all time') as spans
    where workspace_id = ${workspaceId} and id in (${sql.join(traceIds)}) and deleted_at is null
    group by 1, 2, 3, 4, 5, 6
    order by 2, 3, 4, 5, 6
    on conflict (workspace_id, hour, component_id, status, service, environment) do update set
      traces = trace_rollups.traces + excluded.traces,
      tokens = trace_rollups.tokens + excluded.tokens,
      cost_usd = trace_rollups.cost_usd + excluded.cost_usd`.execute(tx)
}

const HOUR_NS = 3_600_000_000_000
/** The hour under which sums of all time are kept; a slice to the right knows more of them. */
const ALL_TIME = -1

function scope(table: keyof Tables, workspaceId: string): RawBuilder<boolean> {
  return table === 'workspaces' ? sql<boolean>`id = ${workspaceId}` : sql<boolean>`workspace_id = ${workspaceId}`
}

/** Children before parents, because foreign keys forbid the other way round. */
function stepsFor(what: string | undefined, workspaceId: string, id: string): Step[] {
  const all = sql<boolean>`1 = 1`
  switch (what) {
    case 'run':
      return [
        ...insideRuns(sql<boolean>`run_id = ${id}`),
        { table: 'runs', key: ['workspace_id', 'id'], where: sql<boolean>`id = ${id}` },
      ]
    case 'evaluation':
      return evaluationSteps(sql<boolean>`evaluation_id = ${id}`, sql<boolean>`id = ${id}`)
    case 'dataset':
      return insideDatasets(workspaceId, sql<boolean>`dataset_id = ${id}`, sql<boolean>`id = ${id}`)
    case 'component': {
      const ofComponent = sql<boolean>`component_id = ${id}`
      return [
        ...insideDatasets(workspaceId, ofComponent, ofComponent),
        {
          table: 'traces',
          key: ['workspace_id', 'id'],
          where: ofComponent,
          free: (tx) => releaseTraces(tx, workspaceId, id),
        },
        { table: 'components', key: ['workspace_id', 'id'], where: sql<boolean>`id = ${id}` },
      ]
    }
    case 'workspace':
      return [
        ...insideDatasets(workspaceId, all, all),
        {
          table: 'spans',
          key: ['workspace_id', 'trace_id', 'span_id'],
          where: all,
          rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
        },
        {
          table: 'pending_span_events',
          key: ['workspace_id', 'trace_id', 'span_id', 'hash'],
          where: all,
          rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
        },
        { table: 'trace_facets', key: ['workspace_id', 'facet', 'value', 'trace_id'], where: all },
        { table: 'traces', key: ['workspace_id', 'id'], where: all },
        {
          table: 'trace_rollups',
          key: ['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment'],
          where: all,
        },
        { table: 'trace_hours', key: ['workspace_id', 'hour'], where: all },
        { table: 'workspace_usage', key: ['workspace_id'], where: all },
        { table: 'span_origins', key: ['workspace_id', 'hash'], where: all },
        { table: 'components', key: ['workspace_id', 'id'], where: all },
        { table: 'prices', key: ['workspace_id', 'id'], where: all },
        { table: 'retention', key: ['workspace_id'], where: all },
        { table: 'model_connections', key: ['workspace_id', 'id'], where: all },
        { table: 'model_answers', key: ['workspace_id', 'hash'], where: all },
        { table: 'rating_schemes', key: ['workspace_id'], where: all },
        { table: 'api_keys', key: ['workspace_id', 'id'], where: all },
        { table: 'revoked_api_keys', key: ['workspace_id', 'key_hash'], where: all },
        { table: 'invitations', key: ['workspace_id', 'id'], where: all },
        { table: 'members', key: ['workspace_id', 'user_id'], where: all },
        { table: 'idempotency_keys', key: ['workspace_id', 'scope', 'key'], where: all },
        { table: 'jobs', key: ['workspace_id', 'id'], where: sql<boolean>`state = 'failed'` },
        { table: 'workspaces', key: ['id'], where: all },
      ]
    default:
      throw new Error(`nothing is known of how to reclaim a ${what}`)
  }
}

/** `ofParent` holds for runs and evaluations, `ofDataset` for the datasets themselves. */
function insideDatasets(workspaceId: string, ofParent: RawBuilder<boolean>, ofDataset: RawBuilder<boolean>): Step[] {
  const idsIn = (table: 'runs' | 'evaluations' | 'datasets', where: RawBuilder<boolean>) =>
    sql`(select id from ${sql.table(table)} where workspace_id = ${workspaceId} and ${where})`
  return [
    ...evaluationSteps(sql<boolean>`evaluation_id in ${idsIn('evaluations', ofParent)}`, ofParent),
    ...insideRuns(sql<boolean>`run_id in ${idsIn('runs', ofParent)}`),
    { table: 'runs', key: ['workspace_id', 'id'], where: ofParent },
    {
      table: 'dataset_items',
      key: ['workspace_id', 'dataset_id', 'id'],
      where: sql<boolean>`dataset_id in ${idsIn('datasets', ofDataset)}`,
      rowsPerStatement: LARGE_ROWS_PER_STATEMENT,
    },
    { table: 'datasets', key: ['workspace_id', 'id'], where: ofDataset },
  ]
}

function evaluationSteps(ofScores: RawBuilder<boolean>, ofEvaluations: RawBuilder<boolean>): Step[] {
  return [
    {
      table: 'evaluation_scores',
      key: ['workspace_id', 'evaluation_id', 'case_ref', 'evaluator', 'repetition'],
      where: ofScores,
    },
    { table: 'evaluations', key: ['workspace_id', 'id'], where: ofEvaluations },
  ]
}

function insideRuns(ofRun: RawBuilder<boolean>): Step[] {
  return [
    { table: 'annotations', key: ['workspace_id', 'id'], where: ofRun },
    { table: 'annotation_leases', key: ['workspace_id', 'run_id', 'trace_ref', 'user_id'], where: ofRun },
    { table: 'annotation_policies', key: ['workspace_id', 'run_id'], where: ofRun },
    { table: 'run_traces', key: ['workspace_id', 'run_id', 'trace_ref'], where: ofRun },
  ]
}
