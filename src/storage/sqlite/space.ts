/**
 * Returns the space of deleted rows to the disk. By default, the file of an embedded database never becomes smaller.
 *
 * With incremental auto-vacuum, which new files have, a file can be shortened in small steps while it is in use. An older file is
 * rewritten once, at a start of the server, unless it is so large that the start would need too long.
 */
import type Database from 'better-sqlite3'
import { codeOf } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Logger } from '../../base/log.ts'
import type { SqliteWriter } from './writer.ts'

const INCREMENTAL = 2
const REWRITTEN_BYTES_MAX = 1 << 30
/** Moving one page costs up to 60 µs, and the event loop waits for a step. */
const PAGES_PER_STEP = 100
/** Less free space is soon used by the next writes. */
const FREE_SHARE_MAX = 0.01

/** Must be called before anything is written to a new file, even its journal mode. A file with content is not changed. */
export function configureNewFile(database: Database.Database): void {
  if (numberOf(database, 'page_count') > 0) return
  database.pragma('auto_vacuum = incremental')
  // Spans are rows of a kilobyte or two: with larger pages fewer of them are split.
  database.pragma('page_size = 8192')
}

/** Rewrites an older file so that it can be shortened from now on. Needs as much free space on the disk as the file has. */
export function convertOlderFile(database: Database.Database, log: Logger): void {
  if (numberOf(database, 'auto_vacuum') === INCREMENTAL) return
  const bytes = numberOf(database, 'page_count') * numberOf(database, 'page_size')
  if (bytes > REWRITTEN_BYTES_MAX) {
    log.info(
      { bytes },
      'the database is too large to be rewritten at start; the space of deleted rows is reused, but not returned to the disk',
    )
    return
  }
  try {
    database.pragma('auto_vacuum = incremental')
    database.exec('vacuum')
    database.pragma('wal_checkpoint(TRUNCATE)')
    log.info({ bytes }, 'the database was rewritten once, so that it becomes smaller when traces are deleted')
  } catch (error) {
    // A full disk, or a command that is writing at this moment: nothing is lost, and the next start tries again.
    if (!/^SQLITE_(FULL|BUSY|LOCKED)/.test(codeOf(error))) throw error
    log.warn({ err: error }, 'the database could not be rewritten; the next start tries again')
  }
}

/** Shortens the file in steps, between other transactions, until almost no page of it is unused. */
export async function shortenFile(database: Database.Database, writer: SqliteWriter): Promise<'shorter' | 'as it was'> {
  if (numberOf(database, 'auto_vacuum') !== INCREMENTAL) return 'as it was'
  let freed = 0
  while (database.open && isWasteful(database)) {
    const freedNow = await writer.run(async () => {
      const before = numberOf(database, 'freelist_count')
      database.pragma(`incremental_vacuum(${PAGES_PER_STEP})`)
      return before - numberOf(database, 'freelist_count')
    })
    if (freedNow <= 0) break
    freed += freedNow
    await yieldToEventLoop()
  }
  return freed > 0 ? 'shorter' : 'as it was'
}

function isWasteful(database: Database.Database): boolean {
  return numberOf(database, 'freelist_count') > numberOf(database, 'page_count') * FREE_SHARE_MAX
}

function numberOf(database: Database.Database, name: string): number {
  return Number(database.pragma(name, { simple: true }))
}
