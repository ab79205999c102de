/**
 * Encrypts the keys of model connections and the second factors of users with another secret key: the first one of the setting, or a new one in the file. Servers can
 * keep running: they can always decrypt every key, as long as they also have the previous secret keys.
 *
 * Can be killed at any time and run again: it skips keys that are already encrypted with the new secret key, which is in the file before
 * it is used. It does not overwrite a key that a user changes in the meantime.
 */
import { byId, readPages } from '../base/event-loop.ts'
import { createSealer, type RotatingSealer, type SealerOptions } from '../secrets/sealed-secret.ts'
import { addSecretKey, readSecretKeyFile, removeKeysBefore } from '../secrets/secret-key-file.ts'
import { type Db, dbWithin } from '../storage/db.ts'
import { listSealedKeysOfAnyWorkspace, replaceSealedKey } from './connection-queries.ts'
import { keyLocation } from './create-connection.ts'

export type RotationResult = {
  sealed: number
  /** No available secret key can decrypt them. They are not changed, in case the right secret key is found. */
  unreadable: { workspaceId: string; name: string }[]
  secondFactors: OtherSecrets
  /** The file with the new secret key, if it is in a file. */
  file: string | undefined
}

/** Numbers of secrets that were encrypted again, and of those that could not be decrypted. */
type OtherSecrets = { sealed: number; unreadable: number }

/** Encrypts secrets of other folders again. */
export type ResealOthers = (db: Db, secrets: RotatingSealer) => Promise<OtherSecrets>

const KEYS_PER_CHUNK = 100

/** Undefined if there is no secret key yet, so nothing is encrypted. Throws like `Sealer.seal`. */
export async function rotateSecretKey(
  db: Db,
  options: SealerOptions,
  resealSecondFactors: ResealOthers,
): Promise<RotationResult | undefined> {
  const { secretKeys, secretKeyFile: file } = options
  return file !== undefined && secretKeys.length === 0
    ? rotateFile(db, file, resealSecondFactors)
    : { ...(await resealAll(db, createSealer(options), resealSecondFactors)), file: undefined }
}

/**
 * Adds the new key to the file before the others, then seals everything with it. After the commit, removes all but the new and the
 * previous key, which a server may just have used. The transactions serialize concurrent commands, because there is only one writer;
 * otherwise one could overwrite the key of the other.
 */
async function rotateFile(
  db: Db,
  file: string,
  resealSecondFactors: ResealOthers,
): Promise<RotationResult | undefined> {
  const rotated = await db.transaction(async (tx) => {
    const [before] = readSecretKeyFile(file)
    if (!before) return undefined
    addSecretKey(file)
    const sealer = createSealer({ secretKeys: [], secretKeyFile: file })
    const outcome = await resealAll(dbWithin(tx), sealer, resealSecondFactors)
    return { before, outcome }
  })
  if (!rotated) return undefined
  await db.transaction(async () => removeKeysBefore(file, rotated.before))
  return { ...rotated.outcome, file }
}

async function resealAll(db: Db, secrets: RotatingSealer, resealSecondFactors: ResealOthers) {
  const keys = await resealKeys(db, secrets)
  return { ...keys, secondFactors: await resealSecondFactors(db, secrets) }
}

async function resealKeys(db: Db, secrets: RotatingSealer): Promise<Pick<RotationResult, 'sealed' | 'unreadable'>> {
  const unreadable: RotationResult['unreadable'] = []
  let sealed = 0
  const pages = readPages((page) => listSealedKeysOfAnyWorkspace(db.read, page), byId(KEYS_PER_CHUNK))
  for await (const rows of pages) {
    const replaced: { row: (typeof rows)[number]; by: string }[] = []
    for (const row of rows) {
      if (secrets.isCurrent(row.sealedKey)) continue
      const location = keyLocation(row)
      const key = secrets.open(row.sealedKey, location)
      if (key === undefined) unreadable.push({ workspaceId: row.workspaceId, name: row.name })
      else replaced.push({ row, by: secrets.seal(key, location) })
    }
    sealed += await db.transaction(async (tx) => {
      let changed = 0
      for (const { row, by } of replaced) if (await replaceSealedKey(tx, row, by)) changed += 1
      return changed
    })
  }
  return { sealed, unreadable }
}
