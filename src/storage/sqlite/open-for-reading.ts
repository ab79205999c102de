import Database from 'better-sqlite3'

const MAPPED_BYTES_MAX = 1 << 30

/** A connection that can only read. It waits so long for a lock that somebody else holds. */
export function openForReading(file: string, patienceMs: number): Database.Database {
  const database = new Database(file, { readonly: true, timeout: patienceMs })
  database.pragma('cache_size = -8000')
  // Read in place and not copied page by page: otherwise a row among a million costs a quarter more than one among a thousand.
  database.pragma(`mmap_size = ${MAPPED_BYTES_MAX}`)
  return database
}
