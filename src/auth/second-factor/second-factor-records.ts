/** Second factors are sealed with the secret key of the server, which is not in the database: a copy of it must not reveal them. */
import { createHash } from 'node:crypto'
import { AppError } from '../../base/errors.ts'
import { NIL_ID } from '../../base/ids.ts'

export type SealedColumn = 'secret' | 'backup_codes'

type SealedLocation = { workspaceId: string; table: string; column: string; rowId: string }

/** The part of a sealer of `src/secrets` that is needed here. */
export type SecondFactorSealer = {
  seal(secret: string, location: SealedLocation): string
  open(sealed: string, location: SealedLocation): string | undefined
}

export type SealedFactor = { userId: string; secret: string; backupCodes: string }

export function sealedLocation(userId: string, column: SealedColumn): SealedLocation {
  return { workspaceId: NIL_ID, table: 'two_factors', column, rowId: userId }
}

/** Throws if the server has not the key that the secret was sealed with. */
export async function openTotpSecret(
  { sealer, secret }: { sealer: SecondFactorSealer; secret: string },
  factor: SealedFactor,
): Promise<string> {
  const opened = sealer.open(factor.secret, sealedLocation(factor.userId, 'secret'))
  if (opened === undefined) throw new AppError(409, UNREADABLE)
  return withoutInnerEncryption(opened, secret)
}

/** None if the server has not the key that they were sealed with: such codes cannot be used. */
export function openRecoveryCodes(sealer: SecondFactorSealer, { userId, backupCodes }: SealedFactor): string[] {
  const opened = sealer.open(backupCodes, sealedLocation(userId, 'backup_codes'))
  const codes: unknown = opened === undefined ? [] : JSON.parse(opened)
  return Array.isArray(codes) ? codes.map(String) : []
}

export function sealRecoveryCodes(sealer: SecondFactorSealer, userId: string, codes: readonly string[]): string {
  return sealer.seal(JSON.stringify(codes), sealedLocation(userId, 'backup_codes'))
}

const UNREADABLE =
  'The second factor of this account cannot be decrypted. The operator can provide the previous secret key, or reset the second factor'

const NONCE_BYTES = 24

/**
 * better-auth, which stored second factors until decision 60, encrypted the secret once more with the secret of the cookies:
 * `$ba$1$` and the nonce and the ciphertext of XChaCha20-Poly1305 in hexadecimal digits.
 */
async function withoutInnerEncryption(text: string, cookieSecret: string): Promise<string> {
  const [, digits] = /^\$ba\$1\$([0-9a-f]+)$/.exec(text) ?? []
  if (digits === undefined) return text
  // Loaded for such secrets only.
  const { xchacha20poly1305 } = await import('@noble/ciphers/chacha.js')
  const bytes = Buffer.from(digits, 'hex')
  const key = createHash('sha256').update(cookieSecret).digest()
  const cipher = xchacha20poly1305(key, bytes.subarray(0, NONCE_BYTES))
  return Buffer.from(cipher.decrypt(bytes.subarray(NONCE_BYTES))).toString()
}
