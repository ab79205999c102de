/**
 * Lists of resources, newest first, paged by offset.
 *
 * An embedded database tells, almost for nothing, whether anything was written since we last asked. As long as nothing was, pages that
 * were read are kept as the text that was sent, and the rows at which they began and ended are remembered: the same page again
 * costs nothing, and the next one is found by its key and not by counting rows from the beginning. Whoever reads a list from end to
 * end pays for each row once, and the list is counted once. The first write, by whomever, makes all of it forgotten.
 *
 * Elsewhere each statement is a round trip, so the rows are counted by the statement that reads the page.
 */
import { type SelectQueryBuilder, sql } from 'kysely'
import { LAST_ID } from '../base/ids.ts'
import { JsonText } from '../base/json.ts'
import { type Listing, type Page, totalIfLast } from '../base/page.ts'
import type { Queries } from './db.ts'
import { counted, totalOf } from './list-page.ts'
import { type Placeholder, prepared } from './prepared.ts'
import { directConnection, type SqliteConnection } from './sqlite/connection.ts'

const KEPT_LENGTH_MAX = 8 << 20

type Arguments<Scope> = Scope & Page & { before: string }

/** `build` must choose rows with an id below `value('before')`, order them by id, descending, and apply limit and offset. */
export function pagedList<Scope extends Record<string, string>>() {
  return <Db, Table extends keyof Db, Row extends { id: string }>(
    build: (q: Queries, value: Placeholder<Arguments<Scope>>) => SelectQueryBuilder<Db, Table, Row>,
  ): ((q: Queries, values: Scope & Page) => Promise<Listing<Row>>) => {
    const list = prepared<Arguments<Scope>>()(build)
    const count = prepared<Arguments<Scope>>()<{ total: number }>((q, value) =>
      q.selectNoFrom(sql<number>`(select count(*) from (${counted(build(q, value))}) as listed)`.as('total')),
    )
    const listAndCount = prepared<Arguments<Scope>>()((q, value) =>
      build(q, value)
        .select(sql<number>`(select count(*) from (${counted(build(q, value))}) as listed)`.as('total'))
        .$castTo<Row & { total: unknown }>(),
    )
    const memories = new WeakMap<SqliteConnection, Memory<Row>>()

    const countAll = async (q: Queries, values: Scope & Page) => {
      const [row] = await count(q, { ...values, before: LAST_ID })
      return totalOf(row?.total)
    }

    async function read(q: Queries, values: Scope & Page): Promise<Listing<Row>> {
      const found = await listAndCount(q, { ...values, before: LAST_ID })
      const [first] = found
      const total = totalIfLast(values, found.length) ?? (first ? totalOf(first.total) : await countAll(q, values))
      // Not a part of the resource.
      for (const row of found) Reflect.deleteProperty(row, 'total')
      return { rows: found, count: found.length, total }
    }

    return async (q, values) => {
      const connection = directConnection(q)
      const version = connection?.dataVersion()
      if (!connection || version === undefined) return read(q, values)
      const memory = currentMemory(memories, connection, version)
      const { limit, offset, ...scope } = values
      const name = JSON.stringify(values)
      const kept = memory.pages.get(name)
      if (kept) return kept

      const begin = (position: number) => JSON.stringify([scope, position])
      const before = memory.begins.get(begin(offset))
      const rows = await list(
        q,
        before === undefined ? { ...values, before: LAST_ID } : { ...values, before, offset: 0 },
      )
      const own = begin(0)
      const total =
        totalIfLast(values, rows.length) ??
        (memory.totals.has(own) ? memory.totals.get(own) : await countAll(q, values))
      // Written to in the meantime, by a command beside the server: count once more, from the beginning.
      if (connection.dataVersion() !== version) return read(q, values)
      const [first, last] = [rows.at(0), rows.at(-1)]
      // One character more than the first id is just behind it in the order of text, so that the id itself is included.
      if (first) memory.begins.set(begin(offset), `${first.id}~`)
      if (last && rows.length === limit) memory.begins.set(begin(offset + limit), last.id)
      memory.totals.set(own, total)
      const page = { rows: new JsonText(JSON.stringify(rows)), count: rows.length, total }
      memory.pages.set(name, page)
      memory.length += page.rows.text.length + name.length
      return page
    }
  }
}

type Memory<Row> = {
  version: unknown
  pages: Map<string, Listing<Row>>
  begins: Map<string, string>
  totals: Map<string, number | undefined>
  length: number
}

function currentMemory<Row>(
  memories: WeakMap<SqliteConnection, Memory<Row>>,
  connection: SqliteConnection,
  version: unknown,
): Memory<Row> {
  const known = memories.get(connection)
  if (known && known.version === version && known.length < KEPT_LENGTH_MAX) return known
  const fresh = { version, pages: new Map(), begins: new Map(), totals: new Map(), length: 0 }
  memories.set(connection, fresh)
  return fresh
}
