/** How a database would run a statement, without costs and numbers of rows, which change with its contents. */
import Database from 'better-sqlite3'
import pg from 'pg'
import type { Engine } from '../harness/each-engine.ts'

export type Planner = { planOf(sql: string): Promise<string[]>; close(): Promise<void> }

export async function openPlanner(engine: Engine, url: string): Promise<Planner> {
  return engine === 'sqlite' ? sqlitePlanner(url) : postgresPlanner(url)
}

function sqlitePlanner(url: string): Planner {
  const database = new Database(url.slice('file:'.length), { readonly: true })
  return {
    async planOf(sql) {
      const rows = database.prepare<unknown[], { id: number; parent: number; detail: string }>(
        `explain query plan ${sql}`,
      )
      const depths = new Map([[0, 0]])
      return rows.all(...nothingFor(sql)).map(({ id, parent, detail }) => {
        const depth = depths.get(parent) ?? 0
        depths.set(id, depth + 1)
        return '  '.repeat(depth) + detail
      })
    },
    close: async () => void database.close(),
  }
}

/** The plan does not depend on the values, but the driver wants one for each parameter. */
function nothingFor(sql: string): null[] {
  return Array.from(sql.matchAll(/\?/g), () => null)
}

async function postgresPlanner(url: string): Promise<Planner> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // A few rows are always read one after another; with many rows, which a test does not have, this is what it comes to.
  await client.query('set enable_seqscan = off')
  return {
    async planOf(sql) {
      const { rows } = await client.query(`explain (costs off, generic_plan) ${sql}`)
      return rows.map((row) => String(row['QUERY PLAN']))
    },
    close: () => client.end(),
  }
}
