import { type SelectQueryBuilder, sql } from 'kysely'
import { type Listing, type Page, totalIfLast } from '../base/page.ts'
import type { Queries } from './db.ts'

/** Longer lists are not counted with every page: that would cost more than the page itself. */
const COUNTED_MAX = 10_000

/** Runs a query page by page. `query` chooses and orders all rows; the first page that is not the last one also counts them. */
export async function listPage<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
  page: Page,
): Promise<Listing<Row>> {
  const rows: Row[] = await query.limit(page.limit).offset(page.offset).execute()
  const total = totalIfLast(page, rows.length) ?? (await countRows(q, query))
  return { rows, count: rows.length, total }
}

/** Exact, or undefined if there are more than are counted. */
export async function countRows<Db, Table extends keyof Db, Row>(
  q: Queries,
  query: SelectQueryBuilder<Db, Table, Row>,
): Promise<number | undefined> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from (${counted(query)}) as listed`.execute(q)
  return totalOf(rows[0]?.total)
}

/** The rows of a query without their columns, and no more of them than are counted. */
export function counted<Db, Table extends keyof Db, Row>(query: SelectQueryBuilder<Db, Table, Row>, max = COUNTED_MAX) {
  return query
    .clearSelect()
    .clearOrderBy()
    .clearLimit()
    .clearOffset()
    .select(sql.lit(1).as('one'))
    .limit(sql.lit(max + 1))
}

export function totalOf(count: unknown, max = COUNTED_MAX): number | undefined {
  const total = Number(count)
  return total <= max ? total : undefined
}
