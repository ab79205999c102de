/**
 * Lists of resources, newest first, paged by offset.
 *
 * An embedded database tells, almost for nothing, whether anything was written since we last asked. As long as nothing was, pages that
 * were read are kept as the text that was sent, and the rows at which they began and ended are remembered: the same page again
 * costs nothing, and the next one is found by its key and not by counting rows from the beginning. Whoever reads a list from end to
 * end pays for each row once. The first write, by whomever, makes all of it forgotten.
 */
import type { Compilable } from 'kysely'
import { LAST_ID } from '../base/ids.ts'
import { JsonText } from '../base/json.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from './db.ts'
import { type Placeholder, prepared } from './prepared.ts'
import { directConnection, type SqliteConnection } from './sqlite-connection.ts'

const KEPT_LENGTH_MAX = 8 << 20

type Arguments<Scope> = Scope & Page & { before: string }

/** `build` must choose rows with an id below `value('before')`, order them by id, descending, and apply limit and offset. */
export function pagedList<Scope extends Record<string, string>>() {
  return <Row extends { id: string }>(
    build: (q: Queries, value: Placeholder<Arguments<Scope>>) => Compilable<Row>,
  ): ((q: Queries, values: Scope & Page) => Promise<JsonText | Row[]>) => {
    const list = prepared<Arguments<Scope>>()(build)
    const memories = new WeakMap<SqliteConnection, Memory>()

    return async (q, values) => {
      const connection = directConnection(q)
      const version = connection?.dataVersion()
      if (!connection || version === undefined) return list(q, { ...values, before: LAST_ID })
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
      // Written to in the meantime, by a command beside the server: count once more, from the beginning.
      if (connection.dataVersion() !== version) return list(q, { ...values, before: LAST_ID })
      const [first, last] = [rows.at(0), rows.at(-1)]
      // One character more than the first id is just behind it in the order of text, so that the id itself is included.
      if (first) memory.begins.set(begin(offset), `${first.id}~`)
      if (last && rows.length === limit) memory.begins.set(begin(offset + limit), last.id)
      const page = new JsonText(JSON.stringify(rows))
      memory.pages.set(name, page)
      memory.length += page.text.length + name.length
      return page
    }
  }
}

type Memory = { version: unknown; pages: Map<string, JsonText>; begins: Map<string, string>; length: number }

function currentMemory(
  memories: WeakMap<SqliteConnection, Memory>,
  connection: SqliteConnection,
  version: unknown,
): Memory {
  const known = memories.get(connection)
  if (known && known.version === version && known.length < KEPT_LENGTH_MAX) return known
  const fresh = { version, pages: new Map(), begins: new Map(), length: 0 }
  memories.set(connection, fresh)
  return fresh
}
