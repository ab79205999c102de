/**
 * The index for searching the texts of spans: trigrams, by the extension `pg_trgm`, which comes with the server but must be allowed.
 * Without it everything works the same, only that a search looks at every text.
 */
import type pg from 'pg'
import type { Logger } from '../base/log.ts'

const INDEX = 'spans_text'

/** The expressions are those of `containsText`: the engine uses an index only for the very same ones. */
const CREATE = `create index concurrently if not exists ${INDEX} on spans using gin (
  lower(name collate "C") gin_trgm_ops, lower(input collate "C") gin_trgm_ops, lower(output collate "C") gin_trgm_ops)`

/** Beside the migrations, because it may fail, and because it must not hold up those who write while it takes its time. */
export async function prepareSearchIndex(pool: pg.Pool, log: Logger): Promise<void> {
  try {
    await pool.query('create extension if not exists pg_trgm')
  } catch (error) {
    log.info({ err: error }, 'pg_trgm cannot be used; searching text looks at every span')
    return
  }
  const client = await pool.connect()
  try {
    await client.query('set statement_timeout = 0')
    // One that was broken off half-way is kept by the server, but never used.
    const { rows } = await client.query<{ isValid: boolean }>(
      `select i.indisvalid as "isValid" from pg_index i where i.indexrelid = to_regclass('${INDEX}')`,
    )
    if (rows[0]?.isValid === false) await client.query(`drop index concurrently if exists ${INDEX}`)
    await client.query(CREATE)
  } catch (error) {
    // Another process may be making it at this moment.
    log.info({ err: error }, 'the index for searching text was not made now')
  } finally {
    client.release(true)
  }
}
