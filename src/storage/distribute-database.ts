/**
 * Spreads a PostgreSQL database over the nodes of a Citus cluster, as `table-placements.ts` says.
 *
 * Order of events: the plan (foreign keys, numbers of rows) is stored, and the foreign keys are dropped, because Citus distributes no table
 * that refers to one that is not distributed; each table is placed with its rows; the numbers of rows are compared; the rows that the
 * coordinator still has are deleted; the foreign keys are created again, which checks every row; the plan is dropped.
 *
 * What survives a crash: every step is a transaction of its own, and the next run does only what is missing. Servers and other commands
 * reject the database until then (`migrate.ts`).
 */
import type { Clock } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import { DISTRIBUTION_PLAN, hasTable } from './dialect.ts'
import { migrate } from './migrate.ts'
import { readForeignKeys } from './postgres/catalog.ts'
import {
  dropLocalRows,
  isCoordinatorANode,
  placementOf,
  placementOrder,
  placeTable,
  readCitusVersion,
  readPlacements,
} from './postgres/citus.ts'
import {
  addForeignKey,
  countOtherConnections,
  type DistributionPlan,
  dropPlan,
  readPlan,
  readTableBytes,
  storePlan,
} from './postgres/distribution-plan.ts'
import { analyzeTables, countRows } from './postgres/move-target.ts'
import { openStorage, type Storage } from './storage.ts'
import type { StorageOptions } from './storage-handle.ts'
import { TABLE_NAMES } from './table-placements.ts'

const CITUS_MAJOR_MIN = 13
const STATEMENT_TIMEOUT_MS = 24 * 3_600_000
const OWN_NAME = 'touchstone distribute'

/** Copying blocks everything for minutes, and needs the same space again. */
const BYTES_MAX = 50e9

export type DistributeOptions = {
  storage: Omit<StorageOptions, 'use'>
  clock: Clock
  /** `any` skips the limit. */
  size: 'limited' | 'any'
  bytesMax?: number
  onProgress(progress: { step: 'placed' | 'verified'; table: string; done: number; total: number }): void
}

/** Returns the tables that were placed; none if all were placed already. */
export async function distributeDatabase(options: DistributeOptions): Promise<{ placed: string[]; location: string }> {
  const { url, log, onFatal } = options.storage
  if (url.startsWith('file:')) throw new AppError(500, NOT_EMBEDDED)
  const named = new URL(url)
  named.searchParams.set('application_name', OWN_NAME)
  const limits = { poolSizeMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS }
  const storage = await openStorage({ url: named.href, log, onFatal, use: 'command', ...limits })
  try {
    await rejectWithoutCitus(storage)
    if (!(await hasTable(storage.read, DISTRIBUTION_PLAN))) await migrate(storage, options.clock)
    // The transaction only holds the lock of the installation: servers that start meanwhile wait, and a second run of this command too.
    const placed = await storage.exclusiveTransaction(() => distribute(storage, options))
    return { placed, location: storage.location }
  } finally {
    await storage.close()
  }
}

const NOT_EMBEDDED =
  'Only a PostgreSQL database with Citus can be spread over several nodes, and DATABASE_URL names an embedded one. Move it first with the command `move`'

async function rejectWithoutCitus({ read, location }: Storage): Promise<void> {
  const version = await readCitusVersion(read)
  if (!version) {
    throw new AppError(
      500,
      `The database ${location} has no Citus. Install Citus ${CITUS_MAJOR_MIN} or newer on all nodes, run "create extension citus" in this database, add the nodes with citus_add_node, and run this command again`,
    )
  }
  if (version.major < CITUS_MAJOR_MIN)
    throw new AppError(500, `The database has ${version.text}. Upgrade to Citus ${CITUS_MAJOR_MIN} or newer first`)
  if (await isCoordinatorANode(read)) return
  throw new AppError(
    500,
    'The coordinator is not one of the nodes. Run "select citus_set_coordinator_host(\'<its name for the other nodes>\')" in this database, and this command again',
  )
}

async function distribute(storage: Storage, options: DistributeOptions): Promise<string[]> {
  const { read } = storage
  const before = await readPlacements(read)
  rejectOtherPlacements(before)
  const isUnfinished = await hasTable(read, DISTRIBUTION_PLAN)
  if (!isUnfinished && TABLE_NAMES.every((table) => before.get(table) === placementOf(table))) return []
  await rejectOthers(storage)
  if (!isUnfinished) {
    await rejectLarge(storage, options)
    await storage.transaction(storePlan)
  }
  const plan = await readPlan(read)
  // Of an interrupted run: an earlier version of the program had fewer tables.
  const order = placementOrder().filter((table) => plan.counts.has(table))
  const placed: string[] = []
  for (const [index, table] of order.entries()) {
    if (before.get(table) === 'coordinator') {
      await placeTable(read, table)
      placed.push(table)
    }
    options.onProgress({ step: 'placed', table, done: index + 1, total: order.length })
  }
  await verifyCounts(storage, plan)
  for (const table of order) await dropLocalRows(read, table)
  await verifyCounts(storage, plan)
  await restoreForeignKeys(storage, plan, options)
  await analyzeTables(read)
  await storage.transaction(dropPlan)
  return placed
}

/** Placed by hand, and otherwise than our queries and foreign keys need. */
function rejectOtherPlacements(before: ReadonlyMap<string, string>): void {
  for (const table of TABLE_NAMES) {
    const placement = before.get(table)
    if (placement === 'coordinator' || placement === placementOf(table)) continue
    throw new AppError(
      500,
      `The table ${table} is placed otherwise than Touchstone needs it. Undo it with: select undistribute_table('${table}')`,
    )
  }
}

async function rejectOthers({ read }: Storage): Promise<void> {
  const others = await countOtherConnections(read, OWN_NAME)
  if (others === 0) return
  throw new AppError(
    500,
    `The database has ${others} other open connection${others === 1 ? '' : 's'}. Stop all servers, workers and consoles first: what they write meanwhile could be lost`,
  )
}

async function rejectLarge({ read }: Storage, { size, bytesMax = BYTES_MAX }: DistributeOptions): Promise<void> {
  const bytes = await readTableBytes(read)
  if (size === 'any' || bytes <= bytesMax) return
  throw new AppError(
    500,
    `The tables have ${gigabytes(bytes)} GB, more than ${gigabytes(bytesMax)} GB. Copying them to the nodes needs the same space again, and servers are stopped for as long as it lasts. Delete traces by their retention first, or use --force`,
  )
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1)
}

async function verifyCounts({ read }: Storage, { counts }: DistributionPlan): Promise<void> {
  for (const [table, expected] of counts) {
    const found = await countRows(read, table)
    if (found === expected) continue
    throw new AppError(
      500,
      `The table ${table} had ${expected} rows and has ${found} now. Its foreign keys were not created again. Restore the backup, or see that nothing else writes to the database and run the command again`,
    )
  }
}

async function restoreForeignKeys(
  { read }: Storage,
  { foreignKeys }: DistributionPlan,
  { onProgress }: DistributeOptions,
): Promise<void> {
  const nameOf = ({ table, name, definition }: DistributionPlan['foreignKeys'][number]) =>
    `${table}.${name} ${definition}`
  const existing = new Set((await readForeignKeys(read)).map(nameOf))
  for (const [index, key] of foreignKeys.entries()) {
    if (!existing.has(nameOf(key))) await addForeignKey(read, key)
    onProgress({ step: 'verified', table: key.table, done: index + 1, total: foreignKeys.length })
  }
  const restored = new Set((await readForeignKeys(read)).map(nameOf))
  const missing = foreignKeys.find((key) => !restored.has(nameOf(key)))
  if (missing)
    throw new AppError(500, `The foreign key ${nameOf(missing)} was not created again. Run the command again`)
}
