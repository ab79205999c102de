/**
 * Frees the space of what was deleted. The delete itself only marks one row, in one transaction, after which nothing below it
 * is visible; the rows go here, in small chunks of their own transactions, so that the largest delete stalls nobody.
 *
 * Safe to run twice and to be killed anywhere: each chunk deletes what is still there, children before parents.
 */
import { type RawBuilder, sql } from 'kysely'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { enqueueJob } from '../jobs/enqueue.ts'
import type { JobHandler } from '../jobs/job-handler.ts'
import type { Queries } from '../storage/db.ts'
import type { Tables } from '../storage/tables.ts'

const CHUNK_ROWS = 500

export type Doomed = { workspaceId: string; what: 'workspace' | 'component' | 'dataset' | 'run'; id: string }

export async function reclaimLater(
  tx: Queries,
  context: Parameters<typeof enqueueJob>[1],
  { workspaceId, what, id }: Doomed,
): Promise<void> {
  await enqueueJob(tx, context, { workspaceId, kind: 'reclaim', payload: { what, id } })
}

export const reclaimHandler: JobHandler = {
  kind: 'reclaim',
  async run({ workspaceId, payload, signal, db, write }) {
    for (const step of stepsFor(payload.what, workspaceId, payload.id ?? '')) {
      while (!signal.aborted && (await hasRows(db.read, workspaceId, step))) {
        await write((tx) => deleteChunk(tx, workspaceId, step))
        await yieldToEventLoop()
      }
    }
  },
  // Nothing to tell anybody: what remains is invisible, and the failed job stays to be looked at.
  async giveUp() {},
}

/** `clears` names a column to empty where the row itself stays. */
type Step = { table: keyof Tables; key: readonly string[]; where: RawBuilder<boolean>; clears?: string }

/** Asked anew for each chunk: one that had to wait for another job may have deleted nothing although rows remain. */
async function hasRows(q: Queries, workspaceId: string, { table, where }: Step): Promise<boolean> {
  const query = sql`select 1 from ${sql.table(table)} where ${scope(table, workspaceId)} and ${where} limit 1`
  return (await query.execute(q)).rows.length > 0
}

async function deleteChunk(tx: Queries, workspaceId: string, { table, key, where, clears }: Step): Promise<void> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const act = clears
    ? sql`update ${sql.table(table)} set ${sql.ref(clears)} = null`
    : sql`delete from ${sql.table(table)}`
  await sql`${act} where (${columns}) in (
    select ${columns} from ${sql.table(table)} where ${scope(table, workspaceId)} and ${where} limit ${sql.lit(CHUNK_ROWS)})`.execute(
    tx,
  )
}

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
    case 'dataset':
      return insideDatasets(workspaceId, sql<boolean>`dataset_id = ${id}`, sql<boolean>`id = ${id}`)
    case 'component': {
      const ofComponent = sql<boolean>`component_id = ${id}`
      return [
        ...insideDatasets(workspaceId, ofComponent, ofComponent),
        { clears: 'component_id', table: 'traces', key: ['workspace_id', 'id'], where: ofComponent },
        { table: 'components', key: ['workspace_id', 'id'], where: sql<boolean>`id = ${id}` },
      ]
    }
    case 'workspace':
      return [
        ...insideDatasets(workspaceId, all, all),
        { table: 'spans', key: ['workspace_id', 'trace_id', 'span_id'], where: all },
        { table: 'trace_facets', key: ['workspace_id', 'facet', 'value', 'trace_id'], where: all },
        { table: 'traces', key: ['workspace_id', 'id'], where: all },
        {
          table: 'trace_rollups',
          key: ['workspace_id', 'hour', 'component_id', 'status', 'service', 'environment'],
          where: all,
        },
        { table: 'span_origins', key: ['workspace_id', 'hash'], where: all },
        { table: 'components', key: ['workspace_id', 'id'], where: all },
        { table: 'prices', key: ['workspace_id', 'id'], where: all },
        { table: 'retention', key: ['workspace_id'], where: all },
        { table: 'api_keys', key: ['workspace_id', 'id'], where: all },
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
    {
      table: 'evaluation_scores',
      key: ['workspace_id', 'evaluation_id', 'case_ref', 'evaluator', 'repetition'],
      where: sql<boolean>`evaluation_id in ${idsIn('evaluations', ofParent)}`,
    },
    { table: 'evaluations', key: ['workspace_id', 'id'], where: ofParent },
    ...insideRuns(sql<boolean>`run_id in ${idsIn('runs', ofParent)}`),
    { table: 'runs', key: ['workspace_id', 'id'], where: ofParent },
    {
      table: 'dataset_items',
      key: ['workspace_id', 'dataset_id', 'id'],
      where: sql<boolean>`dataset_id in ${idsIn('datasets', ofDataset)}`,
    },
    { table: 'datasets', key: ['workspace_id', 'id'], where: ofDataset },
  ]
}

function insideRuns(ofRun: RawBuilder<boolean>): Step[] {
  return [
    { table: 'annotations', key: ['workspace_id', 'id'], where: ofRun },
    { table: 'run_traces', key: ['workspace_id', 'run_id', 'trace_ref'], where: ofRun },
  ]
}
