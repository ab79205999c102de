/**
 * Encrypts the keys of models with another secret key: the first one of the setting, or else a new one in the file. Beside servers that
 * go on: at no moment is there a key that they cannot read, if they know the former secret keys as well.
 *
 * Safe to be killed anywhere and to run again: what has been done is left out, and a new key is in the file before anything is sealed
 * with it. A key that somebody enters meanwhile is not touched.
 */
import { NIL_ID } from '../base/ids.ts'
import { createSealer, type RotatingSealer, type SealerOptions } from '../secrets/sealed-secret.ts'
import { addSecretKey, forgetKeysBefore, readSecretKeyFile } from '../secrets/secret-key-file.ts'
import { type Db, joined } from '../storage/db.ts'
import { listSealedKeysOfAnyWorkspace, replaceSealedKey } from './connection-queries.ts'
import { keyPlace } from './create-connection.ts'

export type Rotated = {
  sealed: number
  /** No secret key opens them: they are left as they are, for the day on which somebody has the right one again. */
  unreadable: { workspaceId: string; name: string }[]
  /** Where the new secret key is, if it is in a file. */
  file: string | undefined
}

const KEYS_PER_CHUNK = 100

/** Undefined if there is no secret key yet, and hence nothing that is encrypted with one. Throws as `Sealer.seal`. */
export async function rotateSecretKey(db: Db, options: SealerOptions): Promise<Rotated | undefined> {
  const { secretKeys, secretKeyFile: file } = options
  return file !== undefined && secretKeys.length === 0
    ? rotateFile(db, file)
    : { ...(await sealKeysAgain(db, createSealer(options))), file: undefined }
}

/**
 * First the new key is in the file and the others behind it, then everything is sealed with it; when that is stored, only the one before
 * it stays: a server may have begun to seal with that a moment ago. Within transactions, because of two commands at the same time one
 * would overwrite the key of the other: there is one writer.
 */
async function rotateFile(db: Db, file: string): Promise<Rotated | undefined> {
  const rotated = await db.transaction(async (tx) => {
    const [before] = readSecretKeyFile(file)
    if (!before) return undefined
    addSecretKey(file)
    const outcome = await sealKeysAgain(joined(tx), createSealer({ secretKeys: [], secretKeyFile: file }))
    return { before, outcome }
  })
  if (!rotated) return undefined
  await db.transaction(async () => forgetKeysBefore(file, rotated.before))
  return { ...rotated.outcome, file }
}

async function sealKeysAgain(db: Db, secrets: RotatingSealer): Promise<Omit<Rotated, 'file'>> {
  const unreadable: Rotated['unreadable'] = []
  let sealed = 0
  let after = NIL_ID
  for (;;) {
    const rows = await listSealedKeysOfAnyWorkspace(db.read, { after, limit: KEYS_PER_CHUNK })
    const replaced: { row: (typeof rows)[number]; by: string }[] = []
    for (const row of rows) {
      if (secrets.isCurrent(row.sealedKey)) continue
      const place = keyPlace(row)
      const key = secrets.open(row.sealedKey, place)
      if (key === undefined) unreadable.push({ workspaceId: row.workspaceId, name: row.name })
      else replaced.push({ row, by: secrets.seal(key, place) })
    }
    sealed += await db.transaction(async (tx) => {
      let changed = 0
      for (const { row, by } of replaced) if (await replaceSealedKey(tx, row, by)) changed += 1
      return changed
    })
    const last = rows.at(-1)
    if (!last || rows.length < KEYS_PER_CHUNK) return { sealed, unreadable }
    after = last.id
  }
}
