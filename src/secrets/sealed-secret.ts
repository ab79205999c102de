/**
 * Encrypts stored secrets, such as the keys of model providers, with a key that is not in the database, so that a copy of the database
 * does not reveal them. Each is bound to its location: it cannot be decrypted after it is copied to another row.
 *
 * `v1.<id of the key>.<nonce, ciphertext and tag in base64url>`, by AES-256-GCM.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { conflict } from '../base/errors.ts'
import { ensureSecretKey, readSecretKeyFile } from './secret-key-file.ts'

export type SecretLocation = { workspaceId: string; table: string; column: string; rowId: string }

export type Sealer = {
  /** Throws 409 with the missing setting if this server has no secret key and no file for one. */
  seal(secret: string, location: SecretLocation): string
  /** Undefined if it cannot be decrypted: it was sealed with a key that this server does not have, or for another location. */
  open(sealed: string, location: SecretLocation): string | undefined
}

export type RotatingSealer = Sealer & {
  /** Whether it was sealed with the current key. Throws like `seal`. */
  isCurrent(sealed: string): boolean
}

export type SealerOptions = {
  /** The operator's keys, 32 bytes each. The first one seals; the others open what they sealed before. */
  secretKeys: readonly Buffer[]
  /** The file with keys in the same order, for when the operator sets none. A key is created when it is first needed. */
  secretKeyFile: string | undefined
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createSealer({ secretKeys, secretKeyFile }: SealerOptions): RotatingSealer {
  const given = secretKeys.map(masterKeyOf)

  // Reads the file each time, because `rotate-key` may have added a new key.
  function keyToSeal(): MasterKey {
    const [first] = given
    if (first) return first
    if (secretKeyFile === undefined) {
      throw conflict(
        'This server has no secret key to encrypt with, so it cannot store keys of model providers, headers of endpoints or second factors. The operator can set TOUCHSTONE_SECRET_KEY to the output of: openssl rand -hex 32',
      )
    }
    return masterKeyOf(ensureSecretKey(secretKeyFile))
  }

  /** A key in the file still opens secrets that were sealed before the operator set one. */
  function keyToOpen(id: string): MasterKey | undefined {
    const hasId = (key: MasterKey) => key.id === id
    const found = given.find(hasId)
    if (found || secretKeyFile === undefined) return found
    return readSecretKeyFile(secretKeyFile).map(masterKeyOf).find(hasId)
  }

  return {
    seal(secret, location) {
      const { id, key } = keyToSeal()
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(boundTo(location))
      const parts = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]
      return `v1.${id}.${Buffer.concat(parts).toString('base64url')}`
    },

    open(sealed, location) {
      const [version, id = '', text = ''] = sealed.split('.')
      const key = version === 'v1' ? keyToOpen(id)?.key : undefined
      const bytes = Buffer.from(text, 'base64url')
      if (!key || bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(boundTo(location)).setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        // The tag does not match: the value was changed or copied from another location.
        return undefined
      }
    },

    isCurrent: (sealed) => sealed.startsWith(`v1.${keyToSeal().id}.`),
  }
}

type MasterKey = { id: string; key: KeyObject }

/** The id distinguishes keys and reveals nothing about them. */
function masterKeyOf(bytes: Buffer): MasterKey {
  return {
    id: createHmac('sha256', bytes).update('id of this key').digest('hex').slice(0, 12),
    key: createSecretKey(bytes),
  }
}

/** No part can contain the separator. */
function boundTo({ workspaceId, table, column, rowId }: SecretLocation): Buffer {
  return Buffer.from(`${workspaceId}|${table}|${column}|${rowId}`)
}
