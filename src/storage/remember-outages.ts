import { randomBytes } from 'node:crypto'
import { DatabaseOutage } from '../base/errors.ts'
import type { Db } from './db.ts'

/** As large as a batch of spans: a full disk still accepts small writes for a while. */
const TRIAL_BYTES = 256 * 1024
const TRIAL_NAME = 'trial-of-writing'

type Transaction = Db['transaction']

/**
 * After a transaction has failed because the database was out of reach or full, `check` writes some bytes, until that succeeds. Before, it
 * writes nothing: probes call it every few seconds.
 */
export function rememberOutages() {
  let hasFailed = false
  return {
    /** For the errors of all transactions. */
    note(error: unknown): never {
      hasFailed ||= error instanceof DatabaseOutage
      throw error
    },
    async check(transaction: Transaction): Promise<void> {
      if (!hasFailed) return
      await writeTrial(transaction)
      hasFailed = false
    },
  }
}

/** Two transactions: of a row that is inserted and deleted in one, nothing may reach the disk. */
async function writeTrial(transaction: Transaction): Promise<void> {
  const value = randomBytes(TRIAL_BYTES).toString('base64')
  await transaction((tx) =>
    tx
      .insertInto('instance_settings')
      .values({ name: TRIAL_NAME, value, expires_at: null })
      .onConflict((known) => known.column('name').doUpdateSet({ value }))
      .execute(),
  )
  await transaction((tx) => tx.deleteFrom('instance_settings').where('name', '=', TRIAL_NAME).execute())
}
