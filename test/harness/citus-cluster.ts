/** A Citus cluster for tests, wherever the extension is installed: one coordinator and two workers, each a PostgreSQL of its own. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { Client, escapeLiteral } from 'pg'
import { type PostgresServer, startPostgres } from './postgres-server.ts'

/** The coordinator is the first. */
export type CitusCluster = { nodes: [PostgresServer, PostgresServer, PostgresServer]; stop(): Promise<void> }

/** Few shards: distributing the tables takes as long as creating them. Nothing else uses the clusters of tests, so they need no disk. */
const SETTINGS = {
  shared_preload_libraries: 'citus',
  'citus.shard_count': '4',
  max_prepared_transactions: '200',
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  jit: 'off',
}

/** The folder with the programs of a PostgreSQL that has the extension. */
export function findCitus(): string | undefined {
  const candidates = [process.env['PG_BIN'], ...globSync('/usr/lib/postgresql/*/bin').toSorted().reverse()]
  return candidates.find((bin) => bin !== undefined && hasExtension(bin))
}

function hasExtension(bin: string): boolean {
  const { status, stdout } = spawnSync(join(bin, 'pg_config'), ['--sharedir'], { encoding: 'utf8' })
  return status === 0 && existsSync(join(stdout.trim(), 'extension', 'citus.control'))
}

/** The error of a library that was built for another version, or undefined if it can be loaded. */
export async function findLoadError(bin: string): Promise<string | undefined> {
  try {
    await (await startPostgres(SETTINGS, bin)).stop()
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return /could not load library.*/.exec(message)?.[0] ?? message
  }
}

export async function startCitus(): Promise<CitusCluster> {
  const bin = findCitus()
  if (bin === undefined) throw new Error('Citus is not installed')
  const start = () => startPostgres(SETTINGS, bin)
  const nodes: CitusCluster['nodes'] = await Promise.all([start(), start(), start()])
  return { nodes, stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))) }
}

/** Creates a database on all nodes that belong together, and returns its address on the coordinator. */
export async function createOnNodes(nodeUrls: readonly string[], name: string, template: string): Promise<string> {
  await Promise.all(nodeUrls.map((url) => query(url, `create database ${name} template ${template}`)))
  const urls = nodeUrls.map((url) => inDatabase(url, name))
  const [coordinator = '', ...workers] = urls
  if (template === 'template0' && workers.length > 0) {
    await Promise.all(urls.map((url) => query(url, 'create extension citus')))
    await query(coordinator, `select citus_set_coordinator_host(${addressIn(coordinator)})`)
    for (const worker of workers) await query(coordinator, `select citus_add_node(${addressIn(worker)})`)
  }
  return coordinator
}

/** The extension keeps a connection to each of its databases, and a database with connections cannot be copied. */
export async function makeTemplate(nodeUrls: readonly string[], name: string): Promise<void> {
  await Promise.all(
    nodeUrls.map(async (url) => {
      await query(url, `alter database ${name} with allow_connections false`)
      const isUsed = `from pg_stat_activity where datname = '${name}'`
      while ((await query(url, `select pg_terminate_backend(pid) ${isUsed}`)) > 0);
    }),
  )
}

function inDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

function addressIn(url: string): string {
  const { hostname, port } = new URL(url)
  return `${escapeLiteral(hostname)}, ${port}`
}

/** Returns the number of rows. */
async function query(url: string, statement: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rowCount ?? 0
  } finally {
    await client.end()
  }
}
