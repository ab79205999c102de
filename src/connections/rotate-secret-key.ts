/**
 * Encrypts the keys of model connections, the headers of endpoints and the second factors of users with another secret key: the first one
 * of the setting, or a new one in the file. Servers can keep running: they can always decrypt everything, as long as they also have the
 * previous secret keys.
 *
 * Can be killed at any time and run again: it skips keys that are already encrypted with the new secret key, which is in the file before
 * it is used. It does not overwrite a key that a user changes in the meantime.
 */
import { createSealer, type RotatingSealer, type SealerOptions } from '../secrets/sealed-secret.ts'
import { addSecretKey, readSecretKeyFile, removeKeysBefore } from '../secrets/secret-key-file.ts'
import { type Db, dbWithin } from '../storage/db.ts'
import { listSealedKeysOfAnyWorkspace, replaceSealedKey } from './connection-queries.ts'
import { keyLocation } from './create-connection.ts'
import { type ResealedRows, resealRows } from './reseal-rows.ts'

export type RotationResult = ResealedRows & {
  endpoints: ResealedRows
  secondFactors: Counts
  /** The file with the new secret key, if it is in a file. */
  file: string | undefined
}

/** Numbers of secrets that were encrypted again, and of those that could not be decrypted. */
type Counts = { sealed: number; unreadable: number }

/** Encrypt secrets of other folders again. */
export type ResealOthers = {
  endpoints(db: Db, secrets: RotatingSealer): Promise<ResealedRows>
  secondFactors(db: Db, secrets: RotatingSealer): Promise<Counts>
}

/** Undefined if there is no secret key yet, so nothing is encrypted. Throws like `Sealer.seal`. */
export async function rotateSecretKey(
  db: Db,
  options: SealerOptions,
  others: ResealOthers,
): Promise<RotationResult | undefined> {
  const { secretKeys, secretKeyFile: file } = options
  return file !== undefined && secretKeys.length === 0
    ? rotateFile(db, file, others)
    : { ...(await resealAll(db, createSealer(options), others)), file: undefined }
}

/**
 * Adds the new key to the file before the others, then seals everything with it. After the commit, removes all but the new and the
 * previous key, which a server may just have used. The transactions serialize concurrent commands, because there is only one writer;
 * otherwise one could overwrite the key of the other.
 */
async function rotateFile(db: Db, file: string, others: ResealOthers): Promise<RotationResult | undefined> {
  const rotated = await db.transaction(async (tx) => {
    const [before] = readSecretKeyFile(file)
    if (!before) return undefined
    addSecretKey(file)
    const sealer = createSealer({ secretKeys: [], secretKeyFile: file })
    const outcome = await resealAll(dbWithin(tx), sealer, others)
    return { before, outcome }
  })
  if (!rotated) return undefined
  await db.transaction(async () => removeKeysBefore(file, rotated.before))
  return { ...rotated.outcome, file }
}

async function resealAll(db: Db, secrets: RotatingSealer, others: ResealOthers) {
  const keys = await resealRows(db, secrets, {
    list: listSealedKeysOfAnyWorkspace,
    replace: replaceSealedKey,
    location: keyLocation,
  })
  const endpoints = await others.endpoints(db, secrets)
  return { ...keys, endpoints, secondFactors: await others.secondFactors(db, secrets) }
}
