/**
 * Moves an embedded database to PostgreSQL.
 *
 * Order of events: the source is locked as a server locks it, and read in one snapshot; the target is migrated and must be empty; tables
 * are copied so that each follows those that it refers to, in batches in the order of their keys; then every row of the source is
 * compared with that of the target, and the numbers of rows too.
 *
 * What survives a crash: each batch is one transaction together with its progress, so the next run continues after it. Until the move
 * is finished, servers and other commands reject the target (`migrate.ts`). The source is never written to, except by its migrations.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../base/clock.ts'
import { AppError, codeOf } from '../base/errors.ts'
import { hasTable, MOVE_PROGRESS } from './dialect.ts'
import { MIGRATIONS, migrate } from './migrate.ts'
import { inReferenceOrder, readForeignKeys, readTableShapes, type TableShape } from './postgres/catalog.ts'
import {
  analyzeTables,
  completeTable,
  continueNumbers,
  countRows,
  createProgress,
  dropProgress,
  emptyTables,
  findUsedTable,
  insertBatch,
  readProgress,
  readSameRows,
} from './postgres/move-target.ts'
import { comparableRow, cutIntoBatches, type RowValue } from './row-batches.ts'
import { openSnapshot, type Snapshot } from './sqlite/snapshot.ts'
import { openStorage, type Storage } from './storage.ts'
import type { StorageOptions } from './storage-handle.ts'
import { TABLE_NAMES } from './table-placements.ts'

/** The limits of requests are too short for counting a large table. */
const STATEMENT_TIMEOUT_MS = 3_600_000

const INSUFFICIENT_PRIVILEGE = '42501'

type MoveStep = 'copied' | 'compared'

export type MoveOptions = {
  source: Omit<StorageOptions, 'use'>
  targetUrl: string
  /** `restart` deletes what an unfinished move has copied. */
  start: 'resume' | 'restart'
  clock: Clock
  onProgress(progress: { step: MoveStep; table: string; done: number; total: number }): void
}

export type MovedTable = { table: string; rows: number }

export async function moveDatabase(options: MoveOptions): Promise<{ tables: MovedTable[]; from: string; to: string }> {
  const { source: sourceOptions, targetUrl, clock } = options
  rejectWrongUrls(sourceOptions.url, targetUrl)
  const source = await openStorage({ ...sourceOptions, use: 'server' })
  try {
    await migrate(source, clock)
    const target = await openTarget(sourceOptions, targetUrl)
    const snapshot = openSnapshot(source.location)
    try {
      return { tables: await move(snapshot, target, options), from: source.location, to: target.location }
    } finally {
      snapshot.close()
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function rejectWrongUrls(sourceUrl: string, targetUrl: string): void {
  if (!/^postgres(ql)?:\/\//.test(targetUrl) || !URL.canParse(targetUrl)) {
    throw new AppError(
      500,
      '--to must be the address of a PostgreSQL database: postgres://user:password@host:5432/name',
    )
  }
  if (!sourceUrl.startsWith('file:')) {
    throw new AppError(
      500,
      'DATABASE_URL names a PostgreSQL database already. `move` is for the embedded one (DATABASE_URL=file:…); copy a PostgreSQL database with pg_dump and pg_restore',
    )
  }
  const file = resolve(sourceUrl.slice('file:'.length))
  if (existsSync(file)) return
  throw new AppError(
    500,
    `There is no database ${file} to move. Set DATABASE_URL=file:… to the one that the server uses`,
  )
}

async function openTarget({ log, onFatal }: MoveOptions['source'], url: string): Promise<Storage> {
  try {
    const limits = { poolSizeMax: 2, statementTimeoutMs: STATEMENT_TIMEOUT_MS }
    return await openStorage({ url, log, onFatal, use: 'command', ...limits })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const hint = 'Check host, port, name, user and password of --to, and that it is a PostgreSQL server'
    throw new AppError(500, `${error.message}. ${hint}`, { cause: error })
  }
}

async function move(snapshot: Snapshot, target: Storage, options: MoveOptions): Promise<MovedTable[]> {
  await prepareTarget(snapshot.createdAt(), target, options)
  const shapes = (await readTableShapes(target.read)).filter(({ name }) => TABLE_NAMES.includes(name))
  rejectOtherColumns(snapshot, shapes)
  const order = inReferenceOrder(TABLE_NAMES, await readForeignKeys(target.read))
  const ordered = order.flatMap((table) => shapes.filter(({ name }) => name === table))
  const counts = new Map(order.map((table) => [table, snapshot.count(table)]))
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const each = { snapshot, target, shapes: ordered, counts, total, onProgress: options.onProgress }
  await copyTables(each)
  for (const { name, columns } of ordered) {
    const number = columns.find(({ isIdentity }) => isIdentity)
    if (number) await continueNumbers(target.read, name, number.name, snapshot.lastNumber(name))
  }
  await compareTables(each)
  await analyzeTables(target.read)
  await target.transaction(dropProgress)
  return [...counts].map(([table, rows]) => ({ table, rows })).filter(({ rows }) => rows > 0)
}

async function prepareTarget(source: string, target: Storage, { start, clock }: MoveOptions): Promise<void> {
  const isUnfinished = await hasTable(target.read, MOVE_PROGRESS)
  if (isUnfinished && start === 'resume') return rejectOtherMove(source, target)
  if (isUnfinished) {
    await target.transaction(async (tx) => {
      await emptyTables(tx)
      await dropProgress(tx)
    })
  }
  await rejectOtherTables(target)
  await migrate(target, clock).catch((error) => rejectPrivileges(error, target))
  await target.exclusiveTransaction(async (tx) => {
    const used = await findUsedTable(tx)
    if (used) {
      throw new AppError(
        500,
        `The database ${target.location} is in use already: its table ${used} has rows. Nothing was copied. Create an empty database and move to that`,
      )
    }
    await createProgress(tx, source)
  })
}

function rejectPrivileges(error: unknown, { location }: Storage): never {
  if (codeOf(error) !== INSUFFICIENT_PRIVILEGE) throw error
  throw new AppError(500, `The user of --to may not create tables in ${location}. Use the owner of the database`, {
    cause: error,
  })
}

async function rejectOtherMove(source: string, target: Storage): Promise<void> {
  const known = await readProgress(target.read)
  if (known.source !== source) {
    throw new AppError(
      500,
      `The database ${target.location} has a part of another installation, whose move is not finished. Create an empty database and move to that`,
    )
  }
  if ((await countRows(target.read, 'schema_migrations')) === MIGRATIONS.length) return
  throw new AppError(
    500,
    'The move was begun by another version of Touchstone. Run it again with --restart, which copies everything again',
  )
}

/** Our names are common ones: a database of another program may have a table `users`. */
async function rejectOtherTables({ read, location }: Storage): Promise<void> {
  if (await hasTable(read, 'schema_migrations')) return
  const other = (await readTableShapes(read)).find(({ name }) => TABLE_NAMES.includes(name))
  if (!other) return
  throw new AppError(
    500,
    `The database ${location} belongs to another program: it has a table ${other.name}. Create an empty database and move to that`,
  )
}

/** Both sides have the schema of this program. Anything else in the source would be lost without a word. */
function rejectOtherColumns(snapshot: Snapshot, shapes: readonly TableShape[]): void {
  const known = new Map(shapes.map(({ name, columns }) => [name, columns.map((column) => column.name)]))
  const extra = snapshot.tableNames().find((table) => table !== 'schema_migrations' && !known.has(table))
  if (extra !== undefined) throw new AppError(500, `The table ${extra} of the source is unknown. Nothing was copied`)
  for (const [table, columns] of known) {
    const difference = snapshot.columnNames(table).filter((column) => !columns.includes(column))
    if (difference.length > 0)
      throw new AppError(500, `The column ${table}.${difference[0]} of the source is unknown. Nothing was copied`)
  }
}

type EachTable = {
  snapshot: Snapshot
  target: Storage
  shapes: readonly TableShape[]
  counts: ReadonlyMap<string, number>
  total: number
  onProgress: MoveOptions['onProgress']
}

async function copyTables({ snapshot, target, shapes, counts, total, onProgress }: EachTable): Promise<void> {
  const { tables } = await readProgress(target.read)
  let done = 0
  for (const shape of shapes) {
    const known = tables.find(({ table }) => table === shape.name)
    const report = () => onProgress({ step: 'copied', table: shape.name, done, total })
    if (known?.isComplete) {
      done += counts.get(shape.name) ?? 0
      report()
      continue
    }
    if (known?.lastKey) done += await countRows(target.read, shape.name)
    for (const rows of batchesOf(snapshot, shape, known?.lastKey)) {
      await target.transaction((tx) => insertBatch(tx, shape, rows)).catch((error) => rejectBatch(error, shape.name))
      done += rows.length
      report()
    }
    await completeTable(target.read, shape.name)
  }
}

/** A lost connection has a message of its own; anything else is about the rows. */
function rejectBatch(error: unknown, table: string): never {
  if (error instanceof AppError || !(error instanceof Error)) throw error
  throw new AppError(500, `Rows of the table ${table} cannot be stored in the target: ${error.message}`, {
    cause: error,
  })
}

function batchesOf(snapshot: Snapshot, { name, columns, key }: TableShape, after: RowValue[] | undefined) {
  return cutIntoBatches(snapshot.rows({ table: name, columns: columns.map((column) => column.name), key, after }))
}

async function compareTables({ snapshot, target, shapes, counts, total, onProgress }: EachTable): Promise<void> {
  let done = 0
  for (const shape of shapes) {
    const stored = await countRows(target.read, shape.name)
    const expected = counts.get(shape.name) ?? 0
    if (stored !== expected)
      throw different(`${shape.name} has ${expected} rows in the source and ${stored} in the target`)
    for (const rows of batchesOf(snapshot, shape, undefined)) {
      const found = new Set((await readSameRows(target.read, shape, rows)).map((row) => comparableRow(shape, row)))
      const missing = rows.filter((row) => !found.has(comparableRow(shape, row)))
      if (missing.length > 0) throw different(`${missing.length} of ${rows.length} rows of ${shape.name} differ`)
      done += rows.length
      onProgress({ step: 'compared', table: shape.name, done, total })
    }
  }
}

function different(detail: string): AppError {
  return new AppError(
    500,
    `The target is not the same as the source: ${detail}. If the source was changed after an interrupted move, run the move again with --restart, which copies everything again`,
  )
}
