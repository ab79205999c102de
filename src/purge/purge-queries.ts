import { type RawBuilder, sql } from 'kysely'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Queries } from '../storage/db.ts'
import { skippingLocked } from '../storage/dialect.ts'
import type { Tables } from '../storage/tables.ts'
import type { PurgeCondition, PurgeStep } from './purge-step.ts'

type Rows = Pick<PurgeStep, 'table' | 'key' | 'rowsPerStatement'> & { workspaceId: string; where: RawBuilder<boolean> }

export async function hasRows(q: Queries, { table, workspaceId, where }: Rows): Promise<boolean> {
  const query = sql`select 1 from ${sql.table(table)} where ${ofWorkspace(table, workspaceId)} and ${where} limit 1`
  return (await query.execute(q)).rows.length > 0
}

/**
 * Skips locked rows, and returns false if all of them are locked. Waiting for them while other rows are locked could
 * deadlock, for example with a running evaluation.
 */
export async function deleteChunk(
  tx: Queries,
  { table, key, workspaceId, where, rowsPerStatement }: Rows,
  limit: number,
): Promise<boolean> {
  const perStatement = rowsPerStatement ?? limit
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const some = sql`select ${columns} from ${sql.table(table)}
    where ${ofWorkspace(table, workspaceId)} and ${where} limit ${sql.lit(perStatement)} ${skippingLocked(tx)}`
  let deleted = 0
  for (let rows = 0; rows < limit; rows += perStatement) {
    if (rows > 0) await yieldToEventLoop()
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in (${some})`.execute(tx)
    deleted += Number(numAffectedRows)
    if (Number(numAffectedRows) < perStatement) break
  }
  return deleted > 0
}

function ofWorkspace(table: keyof Tables, workspaceId: string): RawBuilder<boolean> {
  return table === 'workspaces' ? sql<boolean>`id = ${workspaceId}` : sql<boolean>`workspace_id = ${workspaceId}`
}

export const everyRow: PurgeCondition = () => sql<boolean>`1 = 1`

/** Rows whose `column` is the id of the deleted resource. */
export function columnIs(column: string): PurgeCondition {
  return ({ id }) => sql<boolean>`${sql.ref(column)} = ${id}`
}

export function columnEquals(column: string, constant: string): PurgeCondition {
  return () => sql<boolean>`${sql.ref(column)} = ${sql.lit(constant)}`
}

/** Rows whose `column` references a row of `table` that meets the condition. */
export function columnIn(column: string, table: keyof Tables, condition: PurgeCondition): PurgeCondition {
  return (target) =>
    sql<boolean>`${sql.ref(column)} in (
      select id from ${sql.table(table)} where workspace_id = ${target.workspaceId} and ${condition(target)})`
}
