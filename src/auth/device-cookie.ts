/**
 * Remembers that somebody has signed in on this device: such a device has limits of its own on sign-in, which strangers cannot
 * use up. It is no credential, and opens nothing.
 *
 * The value is `<random id>.<mark>.<mark>…`, a mark for each account that has signed in here, newest first: the HMAC of the id and the
 * e-mail address. It names nobody, and is of no use for an account that has no mark in it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieOptions } from './auth-requests.ts'

const ACCOUNTS_MAX = 5
/** Browsers keep no cookie longer than 400 days. */
const MAX_AGE_SECONDS = 400 * 24 * 60 * 60

type DeviceMarks = { id: string; marks: string[] }

/** The id of the device, if this account has signed in on it before. */
export function readKnownDevice(cookies: string, options: CookieOptions, email: string): string | undefined {
  const device = readDevice(cookies, options)
  if (!device) return undefined
  const own = markOf(device.id, email, options)
  return device.marks.some((mark) => isSame(mark, own)) ? device.id : undefined
}

/** The `Set-Cookie` header after a successful sign-in. Marks of other accounts on the same device stay. */
export function deviceCookie(cookies: string, options: CookieOptions, email: string): string {
  const { id, marks } = readDevice(cookies, options) ?? { id: randomBytes(16).toString('base64url'), marks: [] }
  const own = markOf(id, email, options)
  const kept = [own, ...marks.filter((mark) => mark !== own)].slice(0, ACCOUNTS_MAX)
  const secure = options.publicUrl.startsWith('https:') ? '; Secure' : ''
  const value = [id, ...kept].join('.')
  return `${nameOf(options)}=${value}; Max-Age=${MAX_AGE_SECONDS}; Path=/; HttpOnly${secure}; SameSite=Lax`
}

/** Marks are checked where they are used. An id that we did not choose has none that is ours. */
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
