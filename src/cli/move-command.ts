import { existsSync } from 'node:fs'
import { storageOptions } from '../app.ts'
import { systemClock } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import { createLogger } from '../base/log.ts'
import type { Config } from '../config.ts'
import { type MovedTable, moveDatabase } from '../storage/move-database.ts'
import { PROGRAM, START } from './program-name.ts'
import { createProgress } from './show-progress.ts'

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
