/**
 * Marks a device on which a user has signed in. Such a device has its own sign-in limits, which other clients cannot use up. The cookie
 * is not a credential.
 *
 * The value is `<random id>.<mark>.<mark>…`, with a mark for each account that has signed in on the device, newest first: the HMAC of the
 * id and the e-mail address. It does not reveal the accounts and has no effect for other accounts.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieOptions } from './auth-requests.ts'

const ACCOUNTS_MAX = 5
/** Browsers limit the lifetime of cookies to 400 days. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60

type DeviceMarks = { id: string; marks: string[] }

/** The id of the device, if this account has signed in on it before. */
export function readKnownDevice(cookies: string, options: CookieOptions, email: string): string | undefined {
  const device = readDevice(cookies, options)
  if (!device) return undefined
  const own = markOf(device.id, email, options)
  return device.marks.some((mark) => isSame(mark, own)) ? device.id : undefined
}

/** The `Set-Cookie` header after a successful sign-in. Keeps the marks of other accounts on the same device. */
export function deviceCookie(cookies: string, options: CookieOptions, email: string): string {
  const { id, marks } = readDevice(cookies, options) ?? { id: randomBytes(16).toString('base64url'), marks: [] }
  const own = markOf(id, email, options)
  const kept = [own, ...marks.filter((mark) => mark !== own)].slice(0, ACCOUNTS_MAX)
  const secure = options.publicUrl.startsWith('https:') ? '; Secure' : ''
  const value = [id, ...kept].join('.')
  return `${nameOf(options)}=${value}; Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly${secure}; SameSite=Lax`
}

/** Does not verify the marks; the caller does. An id that this server did not create has no valid marks. */
function readDevice(cookies: string, options: CookieOptions): DeviceMarks | undefined {
  const prefix = `${nameOf(options)}=`
  const own = cookies.split(';').find((cookie) => cookie.trim().startsWith(prefix))
  const [id = '', ...marks] = own?.trim().slice(prefix.length).split('.') ?? []
  return /^[\w-]{22}$/.test(id) ? { id, marks: marks.slice(0, ACCOUNTS_MAX) } : undefined
}

function nameOf({ publicUrl }: CookieOptions): string {
  return publicUrl.startsWith('https:') ? '__Host-device' : 'device'
}

function markOf(id: string, email: string, { secret }: CookieOptions): string {
  return createHmac('sha256', secret).update(`device ${id} ${email.toLowerCase()}`).digest('base64url')
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
