/**
 * Lists of resources, newest first, paged by offset, with their total.
 *
 * An embedded database responds without a round trip: the total is a statement of its own, which is skipped where the page itself has it.
 * Elsewhere each statement is a round trip, so the statement that reads the page also counts the rows.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import { type Listing, type Page, totalIfLast } from '../base/page.ts'
import type { Queries } from './db.ts'
import { counted, totalOf } from './list-page.ts'
import { type Placeholder, prepared } from './query-building.ts'
import { directConnection } from './sqlite/connection.ts'

/** Longer lists are not counted: a page of 50 that counts 1,000 rows costs twice as much as one that counts 200. */
export const RESOURCES_COUNTED_MAX = 200

/** `build` must choose rows, order them by id, descending, and apply limit and offset. */
export function pagedList<Scope extends Record<string, string>>() {
  return <Db, Table extends keyof Db, Row extends { id: string }>(
    build: (q: Queries, value: Placeholder<Scope & Page>) => SelectQueryBuilder<Db, Table, Row>,
  ): ((q: Queries, values: Scope & Page) => Promise<Listing<Row>>) => {
    const list = prepared<Scope & Page>()(build)
    const count = prepared<Scope & Page>()<{ total: number }>((q, value) =>
      q.selectNoFrom(
        sql<number>`(select count(*) from (${counted(build(q, value), RESOURCES_COUNTED_MAX)}) as listed)`.as('total'),
      ),
    )
    const listAndCount = prepared<Scope & Page>()((q, value) =>
      build(q, value)
        .select(
          sql<number>`(select count(*) from (${counted(build(q, value), RESOURCES_COUNTED_MAX)}) as listed)`.as(
            'total',
          ),
        )
        .$castTo<Row & { total: unknown }>(),
    )

    const countAll = async (q: Queries, values: Scope & Page) => {
      const [row] = await count(q, values)
      return totalOf(row?.total, RESOURCES_COUNTED_MAX)
    }

    return async (q, values) => {
      if (directConnection(q)) {
        const rows = await list(q, values)
        return { rows, count: rows.length, total: totalIfLast(values, rows.length) ?? (await countAll(q, values)) }
      }
      const rows = await listAndCount(q, values)
      const [first] = rows
      const total =
        totalIfLast(values, rows.length) ??
        (first ? totalOf(first.total, RESOURCES_COUNTED_MAX) : await countAll(q, values))
      // Not a part of the resource, and not written as JSON. Deleting a property makes every later use of the object slow.
      const listed: { total?: unknown }[] = rows
      for (const row of listed) row.total = undefined
      return { rows, count: rows.length, total }
    }
  }
}
