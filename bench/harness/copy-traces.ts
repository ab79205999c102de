/**
 * Copies stored traces in SQL, which is many times faster than sending them. A copy has another id, another trace id
 * of the sender and another session; it is next to its original in every list.
 */
import { sql } from 'kysely'
import type { Queries } from '../../src/storage/db.ts'
import { SPAN_COLUMNS } from '../../src/traces/storing/build-span-row.ts'
import { RARE_WORD } from '../spans.ts'

export type Copying = { workspaceId: string; traceDbIds: string[]; copies: number }

/**
 * Runs in the transaction of the caller. Hourly rollups are not changed; see `multiplyRollups`. `cross join` fixes the
 * order of the joins: otherwise SQLite would scan all stored spans.
 */
export async function copyTraces(tx: Queries, { workspaceId, traceDbIds, copies }: Copying): Promise<void> {
  const ids = sql`(select value as id from json_each(${JSON.stringify(traceDbIds)}))`
  const numbers = sql`(select value as number from json_each(${JSON.stringify(numbersTo(copies))}))`
  const newId = sql`substr(o.id, 1, 24) || printf('%012x', n.number)`
  const columns = await traceColumns(tx)
  const kept = columns.filter((name) => !['id', 'trace_id', 'session_id'].includes(name))
  await sql`insert into traces (id, trace_id, session_id, ${refs('', kept)})
    select ${newId}, printf('%08x', n.number) || substr(t.trace_id, 9), t.session_id || '-' || n.number, ${refs('t.', kept)}
    from ${ids} o cross join traces t on t.workspace_id = ${workspaceId} and t.id = o.id cross join ${numbers} n`.execute(
    tx,
  )
  const ofSpan = SPAN_COLUMNS.filter((name) => name !== 'trace_id' && name !== 'input')
  // The rare word stays as rare as it was.
  await sql`insert into spans (trace_id, input, ${refs('', ofSpan)})
    select ${newId}, replace(s.input, ${RARE_WORD}, 'nothing'), ${refs('s.', ofSpan)}
    from ${ids} o cross join spans s on s.workspace_id = ${workspaceId} and s.trace_id = o.id cross join ${numbers} n
    order by n.number, s.position`.execute(tx)
  for (const facet of ['kind', 'name', 'model', 'provider']) {
    await sql`insert or ignore into trace_facets (workspace_id, facet, value, trace_id)
      select ${workspaceId}, ${facet}, o.value, ${newId} from ${numbers} n, (
        select distinct i.id, ${sql.ref(`s.${facet}`)} as value
        from ${ids} i cross join spans s on s.workspace_id = ${workspaceId} and s.trace_id = i.id
        where ${sql.ref(`s.${facet}`)} is not null
      ) o`.execute(tx)
  }
  for (const [facet, column] of [
    ['service', 'service'],
    ['environment', 'environment'],
    ['session', 'session_id'],
    ['user', 'user_id'],
  ] as const) {
    const value = sql.ref(`t.${column}`)
    await sql`insert or ignore into trace_facets (workspace_id, facet, value, trace_id)
      select ${workspaceId}, ${facet}, ${column === 'session_id' ? sql`${value} || '-' || n.number` : value}, ${newId}
      from ${ids} o cross join traces t on t.workspace_id = ${workspaceId} and t.id = o.id cross join ${numbers} n
      where ${value} is not null`.execute(tx)
  }
}

/** Call this once, after all originals have been copied. */
export async function multiplyRollups(tx: Queries, copies: number): Promise<void> {
  const times = copies + 1
  await sql`update trace_rollups
    set traces = traces * ${times}, tokens = tokens * ${times}, cost_usd = cost_usd * ${times}`.execute(tx)
  await sql`insert or replace into trace_hours (workspace_id, hour, newest_id)
    select workspace_id, start_ns / 3600000000000, max(id) from traces group by 1, 2`.execute(tx)
}

function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, place) => place + 1)
}

async function traceColumns(tx: Queries): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pragma_table_info('traces')`.execute(tx)
  return rows.map(({ name }) => name)
}

function refs(prefix: string, columns: readonly string[]) {
  return sql.join(columns.map((column) => sql.ref(`${prefix}${column}`)))
}
