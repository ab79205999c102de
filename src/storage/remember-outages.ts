import { randomBytes } from 'node:crypto'
import { DatabaseOutage } from '../base/errors.ts'
import type { Storage } from './storage-handle.ts'

/** As large as a batch of spans: a full disk still accepts small writes for a while. */
const TRIAL_BYTES = 256 * 1024
const TRIAL_NAME = 'trial-of-writing'

/**
 * After a transaction has failed because the database was out of reach or full, `checkWritable` writes some bytes, until that succeeds.
 * Before, it writes nothing: probes call it every few seconds.
 */
export function rememberOutages(storage: Storage): Storage {
  let hasFailed = false
  const { transaction } = storage
  return {
    ...storage,
    transaction: (work) =>
      transaction(work).catch((error: unknown) => {
        hasFailed ||= error instanceof DatabaseOutage
        throw error
      }),
    async checkWritable() {
      await storage.checkWritable()
      if (!hasFailed) return
      await writeTrial(storage)
      hasFailed = false
    },
  }
}

/** Two transactions: of a row that is inserted and deleted in one, nothing may reach the disk. */
async function writeTrial({ transaction }: Storage): Promise<void> {
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
