/** The commands on the database as a whole: migrate, backup, move, distribute. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { storageOptions } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import { createLogger } from '../base/log.ts'
import type { Config } from '../config.ts'
import { distributeDatabase } from '../storage/distribute-database.ts'
import { type MovedTable, moveDatabase } from '../storage/move-database.ts'
import { openForCommand } from './open-for-command.ts'
import { PROGRAM, START } from './program-name.ts'
import { createProgress } from './show-progress.ts'

export async function runMigrate(config: Config): Promise<number> {
  return openForCommand(config, async ({ storage, migrated }) => {
    const done = migrated.length === 0 ? 'is already up to date' : `is up to date: applied ${migrated.join(', ')}`
    process.stdout.write(`${storage.location} ${done}.\n`)
    return 0
  })
}

/** Copies the database into a new file. An existing file is never overwritten: it may be the only good backup. */
export async function runBackup(config: Config, [file = '']: string[]): Promise<number> {
  if (file === '') throw new AppError(500, 'The name of the backup must not be empty')
  const target = resolve(file)
  if (existsSync(target)) throw new AppError(500, `${target} already exists. Choose another name`)
  return openForCommand(config, async ({ storage }) => {
    await storage.backup(target)
    process.stdout.write(
      `${storage.location} is copied to ${target}.\nStart a server on the copy with DATABASE_URL=file:${target}\n`,
    )
    return 0
  })
}

export async function runDistribute(config: Config, { isForced }: { isForced: boolean }): Promise<number> {
  const clock = systemClock()
  const progress = createProgress(process.stderr, clock)
  const { placed, location } = await distributeDatabase({
    storage: storageOptions(config, createLogger(config.logLevel)),
    clock,
    size: isForced ? 'any' : 'limited',
    onProgress: ({ step, table, done, total }) =>
      progress.show({
        label: `${step === 'placed' ? 'tables placed' : 'foreign keys verified'}, at ${table}`,
        done,
        total,
      }),
  }).finally(() => progress.end())
  const done = placed.length === 0 ? 'is already distributed' : `is distributed: ${placed.length} tables were placed`
  process.stdout.write(`${location} ${done}.\n`)
  return 0
}

/** Nothing of the source is changed or removed: it stays as a copy until the operator deletes it. */
export async function runMove(config: Config, { to, restarts }: { to: string | undefined; restarts: boolean }) {
  if (to === undefined) throw new AppError(500, `Say where to: ${PROGRAM} move --to URL`)
  const clock = systemClock()
  const progress = createProgress(process.stderr, clock)
  const moved = await moveDatabase({
    source: storageOptions(config, createLogger(config.logLevel)),
    targetUrl: to,
    start: restarts ? 'restart' : 'resume',
    clock,
    onProgress: ({ step, table, done, total }) => progress.show({ label: `rows ${step}, at ${table}`, done, total }),
  }).finally(() => progress.end())
  process.stdout.write(`${listTables(moved.tables)}\n\n${nextSteps(config, moved)}`)
  return 0
}

function listTables(tables: readonly MovedTable[]): string {
  const width = Math.max(5, ...tables.map(({ table }) => table.length))
  const total = tables.reduce((sum, { rows }) => sum + rows, 0)
  return [...tables, { table: 'total', rows: total }]
    .map(({ table, rows }) => `  ${table.padEnd(width)}  ${rows}`)
    .join('\n')
}

function nextSteps(config: Config, { from, to }: { from: string; to: string }): string {
  return `All rows of ${from} are in ${to}, and both were compared.
Start the server on it, with the password in the address:
  DATABASE_URL='${to}' ${secretKeySetting(config)}${START}
The text index is built in the background after the start. Keep ${from} until you have a backup of the new database,
and do not start a server on it again: what it stores would not be in the new database.
`
}

/** Keys of model connections and second factors are encrypted with it, and only the embedded database has a file for it. */
function secretKeySetting({ secretKeyFile, secretKeys }: Config): string {
  const isNeeded = secretKeyFile !== undefined && secretKeys.length === 0 && existsSync(secretKeyFile)
  return isNeeded ? `TOUCHSTONE_SECRET_KEY="$(paste -sd, '${secretKeyFile}')" ` : ''
}
