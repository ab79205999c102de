import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { clientLeft } from '../turn-lane.ts'

const CANCEL_AGAIN_MS = 50

type Cancelable = {
  pool: pg.Pool
  client: pg.PoolClient
  signal: AbortSignal
  /** It is unknown whether the statement was canceled: the connection must not be used again. */
  onUnconfirmed(): void
}

/**
 * Runs a statement that is canceled in the server, from another connection, when `signal` is aborted. Settles only after the server has
 * confirmed the cancellation: until then it could hit the next statement of the connection.
 */
export async function runCancelable<Result>(
  { pool, client, signal, onUnconfirmed }: Cancelable,
  run: () => Promise<Result>,
): Promise<Result> {
  if (signal.aborted) throw clientLeft()
  const ended = new AbortController()
  let canceled: Promise<unknown> | undefined
  const cancel = () => {
    canceled = cancelUntilEnded(pool, client, ended.signal).catch(onUnconfirmed)
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    return await run()
  } catch (error) {
    throw signal.aborted ? clientLeft() : error
  } finally {
    signal.removeEventListener('abort', cancel)
    ended.abort()
    await canceled
  }
}

/** Again and again: a cancellation that arrives before the statement has no effect. */
async function cancelUntilEnded(pool: pg.Pool, client: pg.PoolClient, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await pool.query('select pg_cancel_backend($1)', [processIdOf(client)])
    // Rejects when the statement ends meanwhile: then there is nothing left to cancel.
    await delay(CANCEL_AGAIN_MS, undefined, { signal: ended }).catch(() => {})
  }
}

/** The driver has it, but its types do not. */
function processIdOf(client: pg.PoolClient): unknown {
  return 'processID' in client ? client.processID : null
}
