/** The extension that spreads tables over several nodes, and how our tables are placed by it. */
import { sql } from 'kysely'
import type { Queries } from '../db.ts'
import { hasOneWriter, hasTable } from '../dialect.ts'
import { type Placement, TABLE_NAMES, TABLE_PLACEMENTS, tablesPlaced } from '../table-placements.ts'
import { readForeignKeys } from './catalog.ts'
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

/** Every table. Those that the extension does not know, or only as local ones, are on the coordinator. */
export async function readPlacements(q: Queries): Promise<Map<string, Placement>> {
  const { rows } = await sql<{ table: string; isHashed: boolean }>`
    select c.relname as table, p.partmethod = 'h' as "isHashed"
    from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace and (p.partmethod = 'h' or p.repmodel = 't')`.execute(q)
  const placed = new Map(rows.map(({ table, isHashed }) => [table, isHashed ? 'by workspace' : 'every node'] as const))
  return new Map(TABLE_NAMES.map((table) => [table, placed.get(table) ?? 'coordinator']))
}

export async function isDistributed(q: Queries): Promise<boolean> {
  if (hasOneWriter(q)) return false
  return (await readCitusVersion(q)) !== undefined && (await readPlacements(q)).get(FIRST_TABLE) === 'by workspace'
}

/** How many nodes besides the coordinator there are, and how many of them it cannot connect to. */
export async function countLostNodes(q: Queries): Promise<{ lost: number; all: number }> {
  if (!(await hasTable(q, 'pg_dist_node'))) return { lost: 0, all: 0 }
  const { rows } = await sql<{ lost: number; all: number }>`
    select count(*) filter (where not citus_check_connection_to_node(nodename, nodeport)) as lost, count(*) as all
    from pg_dist_node where groupid <> 0 and isactive and noderole = 'primary'`.execute(q)
  return rows[0] ?? { lost: 0, all: 0 }
}

/** Without it there are no copies of tables on the coordinator, and its own tables cannot refer to them. */
export async function isCoordinatorANode(q: Queries): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_dist_node where groupid = 0`.execute(q)
  return rows.length > 0
}

/** Places a table as `table-placements.ts` says, with its rows. Its foreign keys must be created afterwards. */
export async function placeTable(q: Queries, table: string): Promise<void> {
  const placement = placementOf(table)
  if (placement === 'coordinator') return
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

/** An earlier version of the program placed more tables on every node. Their foreign keys are created again. */
export async function moveToCoordinator(tx: Queries): Promise<void> {
  const placements = await readPlacements(tx)
  const moved = tablesPlaced('coordinator').filter((table) => placements.get(table) === 'every node')
  if (moved.length === 0) return
  const keys = (await readForeignKeys(tx)).filter(({ table }) => moved.includes(table))
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  for (const table of moved) await sql`select undistribute_table(${table})`.execute(tx)
  for (const { table, name, definition } of keys)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx)
}

export function placementOf(table: string): Placement {
  const placement = Object.entries(TABLE_PLACEMENTS).find(([name]) => name === table)?.[1]
  if (placement === undefined) throw new Error(`The table ${table} has no placement in table-placements.ts`)
  return placement
}

/** The tables in the order in which they are placed: those on every node first, and the first by workspace before its neighbors. */
export function placementOrder(): string[] {
  const neighbors = tablesPlaced('by workspace').filter((table) => table !== FIRST_TABLE)
  return [...tablesPlaced('every node'), FIRST_TABLE, ...neighbors]
}

/**
 * Deletes the rows that the coordinator still has of a table whose rows were copied to the nodes. It cascades along foreign keys to tables
 * that are not placed, so there must be none.
 */
export async function dropLocalRows(q: Queries, table: string): Promise<void> {
  await sql`select truncate_local_data_after_distributing_table(${table})`.execute(q)
}
