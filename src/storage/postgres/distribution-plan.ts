/**
 * What `distribute-database.ts` has to restore and to verify: foreign keys and numbers of rows, in a table of the database, so that an
 * interrupted run can be continued.
 */
import { sql } from 'kysely'
import type { Queries } from '../db.ts'
import { DISTRIBUTION_PLAN } from '../dialect.ts'
import { TABLE_NAMES } from '../table-placements.ts'
import { type ForeignKey, readForeignKeys } from './catalog.ts'
import { countRows } from './move-target.ts'

export type DistributionPlan = {
  counts: Map<string, number>
  foreignKeys: Pick<ForeignKey, 'table' | 'name' | 'definition'>[]
}

type PlanRow = { table: string; name: string | null; definition: string | null; rows: number | null }

/** One transaction: the plan is stored and the foreign keys are gone, or nothing has happened. */
export async function storePlan(tx: Queries): Promise<void> {
  await sql`create table ${sql.table(DISTRIBUTION_PLAN)} (
    table_name text not null, key_name text, definition text, row_count bigint, unique (table_name, key_name))`.execute(
    tx,
  )
  for (const table of TABLE_NAMES)
    await sql`insert into ${sql.table(DISTRIBUTION_PLAN)} (table_name, row_count)
      values (${table}, ${await countRows(tx, table)})`.execute(tx)
  for (const { table, name, definition } of await readForeignKeys(tx)) {
    await sql`insert into ${sql.table(DISTRIBUTION_PLAN)} (table_name, key_name, definition)
      values (${table}, ${name}, ${definition})`.execute(tx)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx)
  }
}

export async function readPlan(q: Queries): Promise<DistributionPlan> {
  const { rows } = await sql<PlanRow>`select table_name as table, key_name as name, definition, row_count as rows
    from ${sql.table(DISTRIBUTION_PLAN)} order by table_name, key_name`.execute(q)
  return {
    counts: new Map(rows.flatMap(({ table, rows: count }) => (count === null ? [] : [[table, count] as const]))),
    foreignKeys: rows.flatMap(({ table, name, definition }) =>
      name === null || definition === null ? [] : [{ table, name, definition }],
    ),
  }
}

export async function addForeignKey(
  q: Queries,
  { table, name, definition }: DistributionPlan['foreignKeys'][number],
): Promise<void> {
  await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(q)
}

export async function dropPlan(tx: Queries): Promise<void> {
  await sql`drop table ${sql.table(DISTRIBUTION_PLAN)}`.execute(tx)
}

/** Of tables and their indexes on this server. */
export async function readTableBytes(q: Queries): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes from pg_class as c
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace`.execute(q)
  return rows[0]?.bytes ?? 0
}

/** How many connections of others the database has, without those of the extension itself. */
export async function countOtherConnections(q: Queries, ownName: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    and application_name <> ${ownName} and not starts_with(application_name, 'citus')`.execute(q)
  return rows[0]?.count ?? 0
}
