import { type CompiledQuery, type DatabaseConnection, Kysely, type QueryResult, SqliteAdapter } from 'kysely'
import type { Queries } from '../db.ts'
import type { Tables } from '../tables.ts'
import { dialectOn } from './connection.ts'

type RunStatement = (sql: string, parameters: readonly unknown[]) => Promise<unknown[]>

/** A read-only handle whose statements run in a worker. */
export function workerQueries(kind: 'read' | 'search', run: RunStatement): Queries {
  const adapter = kind === 'search' ? new SearchAdapter() : new ReadAdapter()
  return new Kysely<Tables>({ dialect: dialectOn(new WorkerConnection(run), adapter) })
}

/** Whether the statements of a handle can use the search index, and stop when they are canceled. */
export function hasSearchIndex(q: Queries): boolean {
  return q.getExecutor().adapter instanceof SearchAdapter
}

class ReadAdapter extends SqliteAdapter {}
class SearchAdapter extends SqliteAdapter {}

class WorkerConnection implements DatabaseConnection {
  readonly #run: RunStatement

  constructor(run: RunStatement) {
    this.#run = run
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    // The row type comes from the query builder, which knows what was selected.
    return { rows: (await this.#run(sql, parameters)) as Row[] }
  }

  // biome-ignore lint/correctness/useYield: the interface asks for it; nothing here streams
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming queries are not used; page through the rows instead')
  }
}
