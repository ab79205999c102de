import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const GENERATED = /^(tsk_[0-9A-Za-z]{8}_[A-Za-z0-9_-]{43})([0-9A-Za-z]{6})$/
const PREFIX_LENGTH = 'tsk_'.length + 8

/**
 * Generates a key: `tsk_`, eight characters to recognize it by, 256 random bits, and a checksum. With the prefix and the checksum,
 * secret scanners can find a leaked key and the server can reject a mistyped one without a query.
 */
export function generateApiKey(): string {
  const name = [...randomBytes(8)].map((byte) => BASE62.charAt(byte % 62)).join('')
  const secret = `tsk_${name}_${randomBytes(32).toString('base64url')}`
  return secret + checksum(secret)
}

/** False only for a generated key with a wrong checksum; keys chosen by the operator have no checksum. */
export function mayBeApiKey(text: string): boolean {
  const [, secret, given] = GENERATED.exec(text) ?? []
  if (secret === undefined) return text.length <= 200
  return checksum(secret) === given
}

/** A plain hash is enough, because a secret of this length cannot be guessed. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** The stored parts that identify a key: its prefix (of generated keys) and its last four characters. */
export function displayParts(key: string): { prefix: string; lastFour: string } {
  return { prefix: GENERATED.test(key) ? key.slice(0, PREFIX_LENGTH) : '', lastFour: key.slice(-4) }
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < 6; place += 1) {
    digits = BASE62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
