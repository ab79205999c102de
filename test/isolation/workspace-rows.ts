import { sql } from 'kysely'
import type { Storage } from '../../src/storage/storage.ts'
import { until } from '../harness/wait-for.ts'

export type WorkspaceRows = Record<string, Record<string, unknown>[]>

/** Every row that belongs to one of the workspaces, by table; read from all tables of the database, without the API. */
export async function rowsOfWorkspaces(storage: Storage, ...workspaceIds: string[]): Promise<WorkspaceRows> {
  const rows: WorkspaceRows = {}
  for (const { name, key, columns } of await tablesOf(storage)) {
    const found = await sql<Record<string, unknown>>`select * from ${sql.table(name)}
      where ${sql.ref(key)} in (${sql.join(workspaceIds)}) order by ${sql.join(columns.map((column) => sql.ref(column)))}`.execute(
      storage.read,
    )
    // Written after the request: when a key was used, and who signed in or was denied.
    rows[name] = found.rows
      .filter(({ action }) => !SECURITY_ACTIONS.includes(String(action)))
      .map(({ last_used_at, ...row }) => row)
  }
  return rows
}

const SECURITY_ACTIONS = ['session.created', 'session.rejected', 'api-key.rejected', 'access.denied']

type ScopedTable = { name: string; key: string; columns: string[] }

const knownTables = new WeakMap<Storage, ScopedTable[]>()

/** Asked of the database itself, so that no table is forgotten here. */
async function tablesOf(storage: Storage): Promise<ScopedTable[]> {
  const known = knownTables.get(storage)
  if (known) return known
  const tables = (await storage.read.introspection.getTables()).flatMap((table): ScopedTable[] => {
    const columns = table.columns.map(({ name }) => name)
    if (table.name === 'workspaces') return [{ name: table.name, key: 'id', columns }]
    return columns.includes('workspace_id') ? [{ name: table.name, key: 'workspace_id', columns }] : []
  })
  knownTables.set(storage, tables)
  return tables
}

/** How many rows each table holds of a workspace; without tables that have none. */
export async function countRows(storage: Storage, workspaceId: string): Promise<Record<string, number>> {
  const rows = await rowsOfWorkspaces(storage, workspaceId)
  return Object.fromEntries(
    Object.entries(rows)
      .filter(([, found]) => found.length > 0)
      .map(([table, found]) => [table, found.length]),
  )
}

/** Resolves when no job of a workspace waits or runs. A failed one stays in the table and is an error here. */
export async function waitForJobs(storage: Storage, workspaceId: string): Promise<void> {
  await until(async () => {
    const jobs = await storage.read
      .selectFrom('jobs')
      .select(['kind', 'state', 'last_error'])
      .where('workspace_id', '=', workspaceId)
      .execute()
    if (jobs.length > 0) throw new Error(`jobs are left: ${JSON.stringify(jobs)}`)
  })
}
