import { NIL_ID } from '../../base/ids.ts'
import type { Db } from '../../storage/db.ts'
import { listSecondFactorsOfAnyWorkspace, replaceSealedFactor } from './second-factor-queries.ts'
import { type SecondFactorSealer, sealedLocation } from './second-factor-records.ts'

const FACTORS_PER_CHUNK = 100

/** Encrypts all second factors with the current secret key. Skips those that are, and those that no available key can decrypt. */
export async function resealSecondFactors(
  db: Db,
  secrets: SecondFactorSealer & { isCurrent(sealed: string): boolean },
): Promise<{ sealed: number; unreadable: number }> {
  let [sealed, unreadable, after] = [0, 0, NIL_ID]
  for (;;) {
    const rows = await listSecondFactorsOfAnyWorkspace(db.read, { after, limit: FACTORS_PER_CHUNK })
    for (const row of rows) {
      const { userId } = row
      if (secrets.isCurrent(row.secret) && secrets.isCurrent(row.backupCodes)) continue
      const secret = secrets.open(row.secret, sealedLocation(userId, 'secret'))
      const codes = secrets.open(row.backupCodes, sealedLocation(userId, 'backup_codes'))
      if (secret === undefined || codes === undefined) {
        unreadable += 1
        continue
      }
      const renewed = {
        userId,
        secret: secrets.seal(secret, sealedLocation(userId, 'secret')),
        backupCodes: secrets.seal(codes, sealedLocation(userId, 'backup_codes')),
      }
      if (await db.transaction((tx) => replaceSealedFactor(tx, row, renewed))) sealed += 1
    }
    const last = rows.at(-1)
    if (!last || rows.length < FACTORS_PER_CHUNK) return { sealed, unreadable }
    after = last.userId
  }
}
