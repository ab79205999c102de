import { type Clock, timestamp } from '../../base/clock.ts'
import { badRequest, conflict } from '../../base/errors.ts'
import type { NewId } from '../../base/ids.ts'
import type { Db, Queries } from '../../storage/db.ts'
import {
  type Account,
  deletePasswordResetsOf,
  findPassword,
  findUserByEmail,
  insertUser,
  replacePassword,
  updateUser,
  upsertPassword,
} from './account-queries.ts'
import { hashPassword, needsRehash } from './passwords.ts'
import { endSessions } from './session-queries.ts'

export type Credentials = { email: string; name: string; passwordHash: string }

/** `tx` must be a transaction. */
export type AccountWriter = { tx: Queries; clock: Clock; newId: NewId }

/** Creates a user who can sign in. Throws a conflict if the e-mail address is taken; its case does not matter. */
export async function createAccount(
  { tx, clock, newId }: AccountWriter,
  { email, name, passwordHash }: Credentials,
): Promise<Account> {
  checkEmail(email)
  const created = await insertUser(tx, { id: newId(), email, name, createdAt: timestamp(clock.now()) })
  if (!created) throw emailTaken()
  await setPassword({ tx, clock, newId }, created.id, passwordHash)
  return created
}

/**
 * Sets the e-mail address, name and password of an existing user, such as the placeholder user of the first start.
 * Ends all sessions of the user, so do not call it at each start unless the password has changed.
 */
export async function setCredentials(
  { tx, clock, newId }: AccountWriter,
  userId: string,
  { email, name, passwordHash }: Credentials,
): Promise<void> {
  checkEmail(email)
  const other = await findUserByEmail(tx, email)
  if (other && other.id !== userId) throw emailTaken()
  await updateUser(tx, userId, { email, name, updatedAt: timestamp(clock.now()) })
  await setPassword({ tx, clock, newId }, userId, passwordHash)
}

/** Hashes a verified password again if its hash was created with other parameters than the current ones. */
export async function renewPasswordHash(db: Db, userId: string, password: string): Promise<void> {
  const old = await findPassword(db.read, userId)
  if (!old?.hash || !needsRehash(old.hash)) return
  const renewed = { id: old.id, before: old.hash, after: await hashPassword(password) }
  await db.transaction((tx) => replacePassword(tx, renewed))
}

const EMAIL_LENGTH_MAX = 254
const EMAIL = /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/

export function checkEmail(email: string): void {
  if (email.length > EMAIL_LENGTH_MAX || !EMAIL.test(email)) {
    throw badRequest('The e-mail address must have the format name@example.com')
  }
}

/** Sets the password and ends all sessions and reset links in one transaction, so that an attacker does not stay signed in. */
export async function setPassword(
  { tx, clock, newId }: AccountWriter,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await upsertPassword(tx, { id: newId(), userId, passwordHash, now: timestamp(clock.now()) })
  await endAccess(tx, userId)
}

/** The same with a verified password; false if it was changed in the meantime. */
export async function changePassword(
  tx: Queries,
  userId: string,
  change: { id: string; before: string; after: string },
): Promise<boolean> {
  if (!(await replacePassword(tx, change))) return false
  await endAccess(tx, userId)
  return true
}

async function endAccess(tx: Queries, userId: string): Promise<void> {
  await deletePasswordResetsOf(tx, userId)
  await endSessions(tx, userId)
}

function emailTaken(): Error {
  return conflict('Another account has this e-mail address')
}
