import { startPostgres } from '../test/harness/postgres-server.ts'
import { createComponent } from './create.ts'
import { getOne } from './get-one.ts'
import { compare, type Effort } from './harness/compare.ts'
import { type Line, ratioLine } from './harness/line.ts'
import { type Servers, startTouchstone } from './harness/servers.ts'
import { listFirst } from './list.ts'

/**
 * The same operations on PostgreSQL, relative to SQLite: the CPU time of the server process, without that of the
 * database.
 */
export async function* measurePostgres({ touchstone: embedded, rows }: Servers, effort: Effort): AsyncGenerator<Line> {
  const postgres = await startPostgres()
  try {
    const touchstone = await startTouchstone(await postgres.createDatabase('bench'))
    try {
      await touchstone.ask('seedComponents', rows)
      for (const operation of [getOne(rows), listFirst, createComponent]) {
        const subject = { server: touchstone, requests: operation.requests(touchstone.key) }
        const yardstick = { server: embedded, requests: operation.requests(embedded.key) }
        const comparison = await compare(operation, { subject, yardstick }, effort)
        yield ratioLine(`PostgreSQL by SQLite: ${operation.name}`, comparison)
      }
    } finally {
      await touchstone.stop()
    }
  } finally {
    await postgres.stop()
  }
}
