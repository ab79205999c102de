/** Queries on the system catalog about our tables. */
import { sql } from 'kysely'
import type { Queries } from '../db.ts'

export type TableShape = {
  name: string
  columns: { name: string; type: string; isIdentity: boolean }[]
  /** The columns that identify a row: of the primary key, or of a unique constraint where there is none. */
  key: string[]
}

export type ForeignKey = { name: string; table: string; parent: string; columns: string[]; definition: string }

export async function readTableShapes(q: Queries): Promise<TableShape[]> {
  const { rows } = await sql<TableShape>`
    select c.relname as name,
      (select json_agg(json_build_object(
          'name', a.attname, 'type', t.typname, 'isIdentity', a.attidentity <> '') order by a.attnum)
        from pg_attribute as a join pg_type as t on t.oid = a.atttypid
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      coalesce((select ${columnNames(sql`k.conrelid`, sql`k.conkey`)}
        from pg_constraint as k where k.conrelid = c.oid and k.contype in ('p', 'u')
        order by k.contype, k.conname limit 1), '[]') as key
    from pg_class as c
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace order by c.relname`.execute(q)
  return rows
}

/** Those between our tables, each with the clause that would create it again. */
export async function readForeignKeys(q: Queries): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`
    select k.conname as name, c.relname as table, p.relname as parent,
      ${columnNames(sql`k.conrelid`, sql`k.conkey`)} as columns, pg_get_constraintdef(k.oid) as definition
    from pg_constraint as k join pg_class as c on c.oid = k.conrelid join pg_class as p on p.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = current_schema()::regnamespace order by c.relname, k.conname`.execute(q)
  return rows
}

function columnNames(table: ReturnType<typeof sql>, numbers: ReturnType<typeof sql>) {
  return sql`(select json_agg(a.attname order by n.place) from unnest(${numbers}) with ordinality as n (number, place)
    join pg_attribute as a on a.attrelid = ${table} and a.attnum = n.number)`
}

/** Tables in an order in which each follows the tables that it refers to. */
export function inReferenceOrder(
  tables: readonly string[],
  foreignKeys: readonly Pick<ForeignKey, 'table' | 'parent'>[],
): string[] {
  const ordered: string[] = []
  let left = [...tables]
  while (left.length > 0) {
    const waits = (table: string) =>
      foreignKeys.some((key) => key.table === table && key.parent !== table && left.includes(key.parent))
    const ready = left.filter((table) => !waits(table))
    if (ready.length === 0) throw new Error(`These tables refer to each other in a circle: ${left.join(', ')}`)
    ordered.push(...ready)
    left = left.filter((table) => !ready.includes(table))
  }
  return ordered
}
