/** Validates requests to /api/auth and creates responses in the format of the API. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError, badRequest } from '../../base/errors.ts'
import { parseJson } from '../../base/json.ts'
import type { Account, SignedInUser } from '../accounts/account-queries.ts'
import { SESSION_ABSOLUTE_MS } from '../accounts/session-queries.ts'

/** Browsers accept the prefix only over HTTPS, where it prevents other hosts and plain HTTP from setting the cookie. */
function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-session' : 'session'
}

export type CookieOptions = { publicUrl: string; secret: string }

/** The session token of a request. An `Authorization` header takes precedence: if it is invalid, the cookie is not used. */
export function readSessionToken(headers: Headers, options: CookieOptions): string | undefined {
  const authorization = headers.get('authorization')
  if (authorization !== null) return /^bearer +([\w-]{1,200})$/i.exec(authorization)?.[1]
  return readSessionCookie(headers.get('cookie') ?? '', options)
}

export function readSessionCookie(header: string, { publicUrl, secret }: CookieOptions): string | undefined {
  return readSigned(readCookie(header, sessionCookieName(publicUrl)) ?? '', secret)
}

/** The `Set-Cookie` header of a session. */
export function sessionCookie(token: string, options: CookieOptions): string {
  return signedCookie(sessionCookieName(options.publicUrl), token, SESSION_ABSOLUTE_MS / 1_000, options)
}

/** A `Set-Cookie` header with a signed value. */
export function signedCookie(
  name: string,
  value: string,
  maxAgeSeconds: number,
  { publicUrl, secret }: CookieOptions,
): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  return `${name}=${signed(value, secret)}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly${secure}; SameSite=Lax`
}

/** `<value>.<base64 of HMAC-SHA-256(secret, value)>`, percent-encoded. */
export function signed(value: string, secret: string): string {
  return encodeURIComponent(`${value}.${signatureOf(value, secret)}`)
}

/** The value of a signed text; undefined if this server did not sign it. */
export function readSigned(text: string, secret: string): string | undefined {
  const plain = decoded(text)
  const end = plain.indexOf('.')
  const value = plain.slice(0, Math.max(0, end))
  // Compares the encoded signatures: several encodings decode to the same bytes, and only one of them was signed.
  const expected = Buffer.from(signatureOf(value, secret))
  const given = Buffer.from(plain.slice(end + 1))
  return value !== '' && given.length === expected.length && timingSafeEqual(given, expected) ? value : undefined
}

function signatureOf(token: string, secret: string): string {
  return createHmac('sha256', secret).update(token).digest('base64')
}

/** The value of a cookie in a `Cookie` header. */
export function readCookie(header: string, name: string): string | undefined {
  const cookies = header.split(';').map((cookie) => cookie.trim())
  return cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1)
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // Not a cookie of this server.
    return ''
  }
}

/** The fields of a body, all of them strings. */
export type BodyShape = {
  required: readonly string[]
  optional?: readonly string[]
  unknownFields: 'rejected' | 'ignored'
  /** Also as a form, which OAuth clients send. Only for endpoints that need no session: other sites can send forms. */
  forms?: 'accepted'
}

export type Fields = Record<string, string>

const FIELD_LENGTH_MAX = 1_000
const BODY_BYTES_MAX = 65_536

export async function readFields(request: Request, shape: BodyShape): Promise<Fields> {
  const mediaType = (request.headers.get('content-type') ?? '').split(';', 1).join('').trim().toLowerCase()
  const isForm = shape.forms === 'accepted' && mediaType === 'application/x-www-form-urlencoded'
  if (mediaType !== 'application/json' && !isForm) {
    throw new AppError(415, 'The request body must be sent as application/json')
  }
  const bytes = await request.bytes()
  if (bytes.length > BODY_BYTES_MAX) throw new AppError(413, `The request body is larger than ${BODY_BYTES_MAX} bytes`)
  if (bytes.length === 0) throw badRequest('A request body is required')
  const given = isForm ? readForm(bytes) : readObject(bytes)
  const { required, optional = [], unknownFields } = shape
  const unknown = [...given.keys()].find((name) => ![...required, ...optional].includes(name))
  if (unknown !== undefined && unknownFields === 'rejected')
    throw badRequest(`The field ${unknown.slice(0, 100)} is not known`)
  const present = [...required, ...optional.filter((name) => given.has(name))]
  return Object.fromEntries(present.map((name) => [name, textOf(name, given.get(name))]))
}

function readObject(bytes: Uint8Array): Map<string, unknown> {
  const body = parseJson(bytes)
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return new Map(Object.entries(body))
  throw badRequest('The request body must be a JSON object')
}

/** OAuth does not allow a parameter twice (RFC 6749, section 3.2). */
function readForm(bytes: Uint8Array): Map<string, unknown> {
  const parameters = [...new URLSearchParams(new TextDecoder().decode(bytes))]
  const given = new Map<string, unknown>(parameters)
  if (given.size < parameters.length) throw badRequest('The request body must not contain duplicates')
  return given
}

function textOf(name: string, value: unknown): string {
  if (value === undefined) throw badRequest(`The field ${name} is required`)
  if (typeof value !== 'string') throw badRequest(`The field ${name} must be a string`)
  if (value === '') throw badRequest(`The field ${name} must not be empty`)
  if (value.length > FIELD_LENGTH_MAX)
    throw badRequest(`The field ${name} must have at most ${FIELD_LENGTH_MAX} characters`)
  return value
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
}

/** The response with a new session. The token is for clients without cookies. */
export function signedIn(
  options: CookieOptions,
  { token, user, cookies }: { token: string; user: SignedInUser | Account; cookies: string[] },
): Response {
  const response = json(200, { token, user }, { 'set-auth-token': token })
  for (const cookie of [sessionCookie(token, options), ...cookies]) response.headers.append('set-cookie', cookie)
  return response
}

/** Deletes the session cookie in the browser. */
export function signedOut(publicUrl: string): Response {
  const name = sessionCookieName(publicUrl)
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const cookie = `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`
  return json(200, { success: true }, { 'set-cookie': cookie })
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
