/** Codes of authenticator apps (TOTP, RFC 6238). The key is the UTF-8 bytes of the secret. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const ISSUER = 'Touchstone'
const DIGITS = 6
const PERIOD_SECONDS = 30

/** Longer than any code is valid. */
export const CODE_LIFETIME_MS = 2 * 60 * 1_000

export function newTotpSecret(): string {
  return randomBytes(24).toString('base64url')
}

/** Six digits, whether or not they are the right ones. */
export function hasTotpFormat(code: string): boolean {
  return /^\d{6}$/.test(code)
}

/** Clocks differ, so the codes of the period before and after the current one are valid, too. */
export function isTotpCode(secret: string, code: string, now: number): boolean {
  if (!hasTotpFormat(code)) return false
  const period = Math.floor(now / (PERIOD_SECONDS * 1_000))
  // Compares with all of them, so that the time does not reveal which one is right.
  const matches = [period - 1, period, period + 1].map((counter) =>
    timingSafeEqual(Buffer.from(hotpCode(secret, counter)), Buffer.from(code)),
  )
  return matches.includes(true)
}

/** The address that apps read from a QR code. */
export function totpUri(secret: string, email: string): string {
  const parameters = new URLSearchParams({
    secret: base32(Buffer.from(secret)),
    issuer: ISSUER,
    digits: String(DIGITS),
    period: String(PERIOD_SECONDS),
  })
  return `otpauth://totp/${ISSUER}:${encodeURIComponent(email)}?${parameters}`
}

/** RFC 4226, section 5.3: 31 bits of the HMAC, from the byte that its last four bits name. */
function hotpCode(secret: string, counter: number): string {
  const message = Buffer.alloc(8)
  message.writeBigInt64BE(BigInt(counter))
  const mac = createHmac('sha1', secret).update(message).digest()
  const bits = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7fffffff
  return String(bits % 10 ** DIGITS).padStart(DIGITS, '0')
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648, without padding. */
function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const letters = bits.match(/.{1,5}/g) ?? []
  return letters.map((group) => BASE32[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
