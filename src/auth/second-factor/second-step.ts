/**
 * What connects the two steps of a sign-in: the challenge, which the password step returns and the second step needs, and the cookie of a
 * trusted device, which replaces the second step. Both are the signed identifier of a row, which ends with the sessions of its user.
 */
import { randomBytes } from 'node:crypto'
import { timestamp } from '../../base/clock.ts'
import type { Queries } from '../../storage/db.ts'
import { allowEvent, type EventLimit } from '../sign-in/allow-event.ts'
import type { AuthOptions } from '../sign-in/auth-endpoint.ts'
import { readCookie, readSigned, signed, signedCookie } from '../sign-in/auth-requests.ts'
import { consumeVerification, insertVerification, lockVerification } from '../sign-in/verification-queries.ts'

/** Begins the identifier. A challenge must not serve as the cookie of a trusted device, which needs no code. */
const CHALLENGE = '2fa-'
const TRUST = 'trust-device-'

const CHALLENGE_SECONDS = 600
const TRUST_SECONDS = 30 * 24 * 60 * 60

/** None becomes available again before the challenge expires. */
const CODES_PER_CHALLENGE: EventLimit = { max: 5, refillMs: 2 * CHALLENGE_SECONDS * 1_000 }

type Deps = Pick<AuthOptions, 'clock' | 'newId' | 'publicUrl' | 'secret'>

export async function createChallenge(tx: Queries, options: Deps, userId: string): Promise<string> {
  const identifier = await insertRow(tx, options, { purpose: CHALLENGE, userId, seconds: CHALLENGE_SECONDS })
  return signed(identifier, options.secret)
}

/** The identifier of a challenge; undefined if this server did not create it. */
export function readChallenge(challenge: string, { secret }: Deps): string | undefined {
  const identifier = readSigned(challenge, secret)
  return identifier?.startsWith(CHALLENGE) ? identifier : undefined
}

/** Counts a code that is entered for a challenge; false if there were too many. */
export function allowCode(options: AuthOptions, identifier: string): Promise<boolean> {
  return allowEvent(options, `challenge:${identifier}`, CODES_PER_CHALLENGE)
}

/** The `Set-Cookie` header of a browser that needs no second factor for 30 days. */
export async function trustDevice(tx: Queries, options: Deps, userId: string): Promise<string> {
  const identifier = await insertRow(tx, options, { purpose: TRUST, userId, seconds: TRUST_SECONDS })
  return signedCookie(cookieName(options), identifier, TRUST_SECONDS, options)
}

/** A new cookie for a browser that this user trusts, because each works once. */
export async function renewTrust(
  tx: Queries,
  options: Deps,
  { cookies, userId }: { cookies: string; userId: string },
): Promise<string | undefined> {
  const value = readSigned(readCookie(cookies, cookieName(options)) ?? '', options.secret) ?? ''
  // Cookies of earlier versions have another signature before the identifier.
  const identifier = value.slice(value.indexOf('!') + 1)
  if (!identifier.startsWith(TRUST)) return undefined
  const row = { identifier, now: timestamp(options.clock.now()) }
  // Another user may have trusted the browser; that row stays.
  if ((await lockVerification(tx, row)) !== userId) return undefined
  await consumeVerification(tx, row)
  return trustDevice(tx, options, userId)
}

async function insertRow(
  tx: Queries,
  { clock, newId }: Deps,
  { purpose, userId, seconds }: { purpose: string; userId: string; seconds: number },
): Promise<string> {
  const identifier = `${purpose}${randomBytes(24).toString('base64url')}`
  const now = clock.now()
  const expiresAt = timestamp(now + seconds * 1_000)
  await insertVerification(tx, { id: newId(), identifier, value: userId, createdAt: timestamp(now), expiresAt })
  return identifier
}

function cookieName({ publicUrl }: Deps): string {
  return publicUrl.startsWith('https:') ? '__Host-trusted-device' : 'trusted-device'
}
