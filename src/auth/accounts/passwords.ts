import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { badRequest, tooManyRequests } from '../../base/errors.ts'
import { estimateGuesses, isSequence, rankOf } from './password-strength.ts'

const PASSWORD_LENGTH_MIN = 12
const PASSWORD_LENGTH_MAX = 128

/** The first OWASP recommendation for argon2id. After a change, each password is hashed again at the next sign-in. */
const RECOMMENDED: PasswordCost = { memory: 19_456, passes: 2, parallelism: 1 }
let current = RECOMMENDED
const SALT_BYTES = 16
const HASH_BYTES = 32

/** Each hash needs 19 MiB and a thread for about 40 ms: more concurrent ones would starve other work. */
const CONCURRENCY_MAX = 2
const QUEUED_MAX = 20

/** Returns a PHC string. Throws 429 when too many hashes are queued. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const { memory, passes, parallelism } = current
  const hash = await derive(password, salt, { memory, passes, parallelism, tagLength: HASH_BYTES })
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
}

/** Accepts argon2id strings of version 19 with any parameters; other strings match no password. */
export async function verifyPassword(password: string, phc: string): Promise<boolean> {
  const parsed = parsePhc(phc)
  if (!parsed) return false
  const { salt, hash, memory, passes, parallelism } = parsed
  const actual = await derive(password, salt, { memory, passes, parallelism, tagLength: hash.length })
  return timingSafeEqual(actual, hash)
}

/** True for a hash with other parameters than the current ones. */
export function needsRehash(phc: string): boolean {
  const parsed = parsePhc(phc)
  if (!parsed) return true
  const { memory, passes, parallelism } = current
  return parsed.memory !== memory || parsed.passes !== passes || parsed.parallelism !== parallelism
}

/**
 * Changes the cost in this process, for tests that hash many passwords and are not about hashing. A function, so that no setting or
 * environment variable can weaken the hashes of a server.
 */
export function usePasswordCost(cost: PasswordCost | 'recommended'): void {
  current = cost === 'recommended' ? RECOMMENDED : cost
}

/** The user of a password: the words that attackers try first. */
export type PasswordContext = { email: string; names?: readonly string[] }

/** The minimum decimal logarithm of the number of guesses, which zxcvbn calls "safely unguessable". */
const GUESSES_MIN = 8

/** Rejects a password that is too short, too long or easy to guess. */
export function checkPassword(password: string, { email, names = [] }: PasswordContext): void {
  const length = [...password].length
  if (length < PASSWORD_LENGTH_MIN)
    throw badRequest(`The password must have at least ${PASSWORD_LENGTH_MIN} characters`)
  if (length > PASSWORD_LENGTH_MAX) throw badRequest(`The password must have at most ${PASSWORD_LENGTH_MAX} characters`)
  const lower = password.toLowerCase()
  if (resemblesEmail(lower, email.toLowerCase())) throw badRequest('The password must not be your e-mail address')
  if (repeatsShortPiece(lower)) throw badRequest('The password only repeats a short string; choose another')
  // Also with each character doubled: aabbccddeeff.
  if (isSequence(lower) || isSequence(lower.replace(/(.)\1+/gu, '$1')))
    throw badRequest('The password is a simple sequence of characters; choose another')
  if (isCommon(lower)) throw badRequest('The password is among the most common ones; choose another')
  if (estimateGuesses(password, contextWords(email, names)) < GUESSES_MIN) {
    throw badRequest(
      'The password is easy to guess: it consists of common words, names, years or sequences; choose another',
    )
  }
}

/** Also with spaces or dashes between its words, and with digits or symbols at its end. */
function isCommon(password: string): boolean {
  const words = [password, withoutTail(password)].map((text) => text.replace(/[^\p{L}\p{N}]+/gu, ''))
  return [password, ...words].some((text) => text.length >= PASSWORD_LENGTH_MIN && rankOf(text) !== undefined)
}

/** The product name, and every word of the address and of the names. */
function contextWords(email: string, names: readonly string[]): string[] {
  const local = email.slice(0, Math.max(0, email.lastIndexOf('@')))
  const texts = [email, ...names]
  const words = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => [word, ...word.split(/\d+/)]))
  return ['touchstone', local, ...words].filter((word) => word.length >= CONTEXT_LENGTH_MIN)
}

const CONTEXT_LENGTH_MIN = 3

function resemblesEmail(password: string, email: string): boolean {
  const local = email.slice(0, email.lastIndexOf('@'))
  const stem = withoutTail(password)
  return [password, stem].some((candidate) => candidate === email || candidate === local)
}

/** A string is periodic exactly if it occurs in its double before the second half. */
function repeatsShortPiece(password: string): boolean {
  const period = (password + password).indexOf(password, 1)
  return period < password.length && period < PASSWORD_LENGTH_MIN
}

/** Removes digits and symbols at the end. */
function withoutTail(password: string): string {
  let end = password.length
  while (end > 0 && !/\p{L}/u.test(password.charAt(end - 1))) end -= 1
  return password.slice(0, end)
}

/** Parameters of argon2id; the memory is in KiB. */
type PasswordCost = { memory: number; passes: number; parallelism: number }

let running = 0
const waiting: (() => void)[] = []

async function derive(message: string, nonce: Buffer, cost: PasswordCost & { tagLength: number }): Promise<Buffer> {
  if (running >= CONCURRENCY_MAX) {
    if (waiting.length >= QUEUED_MAX) throw tooManyRequests('Too many users are signing in; try again in a moment', 1)
    // The task that finishes passes its slot to the next one, so `running` does not change.
    await new Promise<void>((resolve) => waiting.push(resolve))
  } else {
    running += 1
  }
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      argon2('argon2id', { message, nonce, ...cost }, (error, key) => (error ? reject(error) : resolve(key)))
    })
  } finally {
    const next = waiting.shift()
    if (next) next()
    else running -= 1
  }
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,})\$([A-Za-z0-9+/]{16,})$/

function parsePhc(phc: string): (PasswordCost & { salt: Buffer; hash: Buffer }) | undefined {
  const [, memory, passes, parallelism, salt, hash] = PHC.exec(phc) ?? []
  if (!memory || !passes || !parallelism || !salt || !hash) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
