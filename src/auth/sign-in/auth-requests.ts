/** Validates requests to /api/auth and creates responses in the format of the API. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { AppError, badRequest } from '../../base/errors.ts'
import { parseJson } from '../../base/json.ts'
import { SESSION_ABSOLUTE_MS, USER_AGENT_LENGTH_MAX } from '../accounts/session-queries.ts'

/** Passes the client address to the library, which would otherwise read proxy headers itself. */
export const ADDRESS_HEADER = 'x-touchstone-address'

/** Browsers accept the prefix only over HTTPS, where it prevents other hosts and plain HTTP from setting the cookie. */
export function sessionCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-session' : 'session'
}

/** Marks a browser that does not need a second factor for a while. The server can revoke it. */
export function trustCookieName(publicUrl: string): string {
  return publicUrl.startsWith('https:') ? '__Host-trusted-device' : 'trusted-device'
}

/** Identifies a sign-in that waits for its second factor. Only between our code and the library: clients get and send its value as JSON. */
export const CHALLENGE_COOKIE = 'two-factor'

export type CookieOptions = { publicUrl: string; secret: string }

/** The session token of a request. An `Authorization` header takes precedence: if it is invalid, the cookie is not used. */
export function readSessionToken(headers: Headers, options: CookieOptions): string | undefined {
  const authorization = headers.get('authorization')
  if (authorization !== null) return /^bearer +([\w-]{1,200})$/i.exec(authorization)?.[1]
  return readSessionCookie(headers.get('cookie') ?? '', options)
}

/** The cookie's value is `<token>.<base64 of HMAC-SHA-256(secret, token)>`, percent-encoded. */
export function readSessionCookie(header: string, { publicUrl, secret }: CookieOptions): string | undefined {
  const value = decoded(readCookie(header, sessionCookieName(publicUrl)) ?? '')
  const end = value.indexOf('.')
  const token = value.slice(0, Math.max(0, end))
  // Compares the encoded signatures: several encodings decode to the same bytes, and only one of them was signed.
  const expected = Buffer.from(signatureOf(token, secret))
  const given = Buffer.from(value.slice(end + 1))
  return token !== '' && given.length === expected.length && timingSafeEqual(given, expected) ? token : undefined
}

/** The `Set-Cookie` header of a session, as the library writes it. */
export function sessionCookie(token: string, { publicUrl, secret }: CookieOptions): string {
  const value = encodeURIComponent(`${token}.${signatureOf(token, secret)}`)
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const age = `Max-Age=${SESSION_ABSOLUTE_MS / 1_000}`
  return `${sessionCookieName(publicUrl)}=${value}; ${age}; Path=/; HttpOnly${secure}; SameSite=Lax`
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

/** The response of the library with its cookies and the device cookie. The token is for clients without cookies. */
export function signedIn({ body, cookies }: LibraryResponse, deviceCookie: string): Response {
  const { twoFactorEnabled: _, ...user } = asRecord(body.user)
  const response = json(200, { token: body.token, user }, { 'set-auth-token': String(body.token) })
  for (const cookie of [...cookies, deviceCookie]) response.headers.append('set-cookie', cookie)
  return response
}

/** Deletes the session cookie in the browser. */
export function signedOut(publicUrl: string): Response {
  const name = sessionCookieName(publicUrl)
  const secure = publicUrl.startsWith('https:') ? '; Secure' : ''
  const cookie = `${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax${secure}`
  return json(200, { success: true }, { 'set-cookie': cookie })
}

/** The request to the library: the client address, the session and the validated fields. */
export function libraryRequest(
  url: string,
  {
    request,
    address,
    token,
    session,
    cookie,
  }: {
    request: Request
    address: string
    token?: string | undefined
    session: unknown
    /** The only cookies that the library sees. */
    cookie?: string | undefined
  },
  body?: Record<string, unknown>,
): Request {
  const headers = new Headers({ [ADDRESS_HEADER]: address })
  const userAgent = request.headers.get('user-agent')
  if (userAgent !== null) headers.set('user-agent', userAgent.slice(0, USER_AGENT_LENGTH_MAX))
  if (session !== undefined && token !== undefined) headers.set('authorization', `Bearer ${token}`)
  if (cookie !== undefined) headers.set('cookie', cookie)
  if (body === undefined) return new Request(url, { headers })
  headers.set('content-type', 'application/json')
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}

export type LibraryResponse = {
  status: number
  body: Record<string, unknown>
  /** For the client. */
  cookies: string[]
  /** Of a sign-in that waits for its second factor. */
  challenge: string | undefined
}

export async function readLibraryResponse(response: Response, publicUrl: string): Promise<LibraryResponse> {
  const set = response.headers.getSetCookie()
  const shown = [`${sessionCookieName(publicUrl)}=`, `${trustCookieName(publicUrl)}=`]
  const cookies = set.filter((cookie) => shown.some((prefix) => cookie.startsWith(prefix)))
  const challenge = set.find((cookie) => cookie.startsWith(`${CHALLENGE_COOKIE}=`))
  return {
    status: response.status,
    body: asRecord(await response.json()),
    cookies,
    challenge: challenge?.slice(CHALLENGE_COOKIE.length + 1).split(';')[0],
  }
}

/** The cookie of a trusted device, to pass on to the library. */
export function readTrustCookie(cookies: string, publicUrl: string): string | undefined {
  const prefix = `${trustCookieName(publicUrl)}=`
  return cookies
    .split(';')
    .map((cookie) => cookie.trim())
    .find((cookie) => cookie.startsWith(prefix))
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** The library's client errors have fixed messages, in one of two fields. Its server errors are not shown to the caller. */
export function libraryError({ status, body }: LibraryResponse): Error {
  const message = body.error_description ?? body.message
  if (status >= 400 && status < 500 && typeof message === 'string') return new AppError(status, message)
  return new Error(`The authentication library responded with ${status}`, { cause: body })
}
