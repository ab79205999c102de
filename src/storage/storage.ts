import type { Logger } from '../base/log.ts'
import type { Db } from './db.ts'
import { openPostgres } from './postgres-engine.ts'
import { openSqlite } from './sqlite-engine.ts'

export type Storage = Db & {
  readonly engine: 'sqlite' | 'postgres'
  /** Where the data is, for people; never holds a password. */
  readonly place: string
  /** Throws when the database cannot be written to right now. */
  checkWritable(): Promise<void>
  /** Copies a consistent snapshot into a new file while the server goes on. */
  backup(file: string): Promise<void>
  close(): Promise<void>
}

export type StorageOptions = {
  url: string
  log: Logger
  /** A server owns an embedded database alone; a command beside it does not ask to. */
  use: 'server' | 'command'
  /** Called when the disk has failed under us, so that nobody can know any more what is stored: the process should end. */
  onFatal(error: unknown): void
  poolSizeMax: number
  statementTimeoutMs: number
}

export async function openStorage(options: StorageOptions): Promise<Storage> {
  if (options.url.startsWith('file:')) return openSqlite(options)
  return openPostgres(options)
}
