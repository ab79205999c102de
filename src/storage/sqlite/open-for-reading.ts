import Database from 'better-sqlite3'

const MAPPED_BYTES_MAX = 1 << 30

/** A read-only connection. `lockTimeoutMs` is how long it waits for a lock. */
export function openForReading(file: string, lockTimeoutMs: number): Database.Database {
  const database = new Database(file, { readonly: true, timeout: lockTimeoutMs })
  database.pragma('cache_size = -8000')
  // Read in place and not copied page by page: otherwise a row among a million costs a quarter more than one among a thousand.
  database.pragma(`mmap_size = ${MAPPED_BYTES_MAX}`)
  return database
}
