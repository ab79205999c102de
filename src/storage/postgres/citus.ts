/** The extension that spreads tables over several nodes, and how our tables are placed by it. */
import { sql } from 'kysely'
import type { Queries } from '../db.ts'
import { hasOneWriter } from '../dialect.ts'
import { type Placement, TABLE_PLACEMENTS } from '../table-placements.ts'
import { splitForeignKeys } from './split-foreign-keys.ts'

/** All other tables by workspace are on the node of their rows here, so that their foreign keys and joins stay on one node. */
const FIRST_TABLE = 'components'

/** Undefined without the extension. */
export async function readCitusVersion(q: Queries): Promise<{ major: number; text: string } | undefined> {
  const { rows: found } = await sql`select 1 where to_regproc('citus_version') is not null`.execute(q)
  if (found.length === 0) return undefined
  const { rows } = await sql<{ text: string }>`select citus_version() as text`.execute(q)
  const text = rows[0]?.text ?? ''
  return { major: Number(/(\d+)\./.exec(text)?.[1] ?? 0), text }
}

/** The tables that are placed already. Local tables that the extension only knows of are not. */
export async function readPlacements(q: Queries): Promise<Map<string, Placement>> {
  const { rows } = await sql<{ table: string; isHashed: boolean }>`
    select c.relname as table, p.partmethod = 'h' as "isHashed"
    from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')`.execute(q)
  return new Map(rows.map(({ table, isHashed }) => [table, isHashed ? 'by workspace' : 'every node']))
}

export async function isDistributed(q: Queries): Promise<boolean> {
  if (hasOneWriter(q)) return false
  return (await readCitusVersion(q)) !== undefined && (await readPlacements(q)).has(FIRST_TABLE)
}

/** Places a table as `table-placements.ts` says, with its rows. Its foreign keys must be created afterwards. */
export async function placeTable(q: Queries, table: string): Promise<void> {
  const placement = placementOf(table)
  if (placement === 'every node') {
    await sql`select create_reference_table(${table})`.execute(q)
    return
  }
  const neighbor = table === FIRST_TABLE ? 'none' : FIRST_TABLE
  await sql`select create_distributed_table(${table}, 'workspace_id', colocate_with => ${neighbor})`.execute(q)
}

/** Applies a statement of a migration. A new table is placed as soon as it exists, and its foreign keys follow. */
export async function applyToNodes(tx: Queries, statement: string): Promise<void> {
  // Otherwise the extension rejects a change of tables on every node after one of tables by workspace in the same transaction.
  await sql`set local citus.multi_shard_modify_mode to 'sequential'`.execute(tx)
  const { statement: withoutKeys, foreignKeys, created } = splitForeignKeys(statement)
  await sql.raw(withoutKeys).execute(tx)
  if (created !== undefined) await placeTable(tx, created)
  for (const foreignKey of foreignKeys) await sql.raw(foreignKey).execute(tx)
}

export function placementOf(table: string): Placement {
  const placement = Object.entries(TABLE_PLACEMENTS).find(([name]) => name === table)?.[1]
  if (placement === undefined) throw new Error(`The table ${table} has no placement in table-placements.ts`)
  return placement
}

/** The tables in the order in which they are placed: those on every node first, and the first by workspace before its neighbors. */
export function placementOrder(): string[] {
  const rank = (table: string) => (placementOf(table) === 'every node' ? 0 : table === FIRST_TABLE ? 1 : 2)
  return Object.keys(TABLE_PLACEMENTS).sort((a, b) => rank(a) - rank(b))
}

/**
 * Deletes the rows that the coordinator still has of a table whose rows were copied to the nodes. It cascades along foreign keys to tables
 * that are not placed, so there must be none.
 */
export async function dropLocalRows(q: Queries, table: string): Promise<void> {
  await sql`select truncate_local_data_after_distributing_table(${table})`.execute(q)
}
