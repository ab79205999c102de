/** What users change about themselves. Sessions and the password are under /api/auth. */
import { Type } from 'typebox'
import { timestamp } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { anyObject, closed, Id, UserName } from '../../http/schemas.ts'
import { findUser, updateUserName } from './account-queries.ts'
import { recordAccountAudit } from './manage-accounts.ts'
import { findPreferences, lockPreferences, savePreferences } from './preference-queries.ts'

const Account = closed({ userId: Id, name: Type.String(), email: Type.String() }, { title: 'Account' })

const PREFERENCES_BYTES_MAX = 16 * 1024

const Preferences = anyObject({
  title: 'Preferences',
  description: `Any object of at most ${PREFERENCES_BYTES_MAX} bytes as JSON, such as the theme, the row height and the columns of tables`,
})

const access = { auth: 'session' } as const
const tag = 'Accounts'
const path = '/me/preferences'

export const accountRoutes: readonly Route[] = [
  route({
    method: 'PATCH',
    path: '/me',
    access,
    summary: 'Change the name of the caller',
    tag,
    body: closed({ name: UserName }),
    responses: { 200: Account },
    handle: async ({ db, caller, body: { name }, ...context }) => {
      const { userId } = caller
      const email = await db.transaction(async (tx) => {
        const before = await findUser(tx, userId)
        await updateUserName(tx, { userId, name, updatedAt: timestamp(context.clock.now()) })
        if (before?.name !== name) {
          const detail = `${before?.name ?? ''} → ${name}`
          await recordAccountAudit({ ...context, tx, by: caller }, userId, 'account.renamed', detail)
        }
        return before?.email ?? ''
      })
      return ok({ userId, name, email })
    },
  }),
  route({
    method: 'GET',
    path,
    access,
    summary: 'Get the preferences of the caller',
    tag,
    responses: { 200: Preferences },
    handle: async ({ db, caller }) => ok(await findPreferences(db.read, caller.userId)),
  }),
  route({
    method: 'PUT',
    path,
    access,
    summary: 'Replace the preferences of the caller',
    tag,
    body: Preferences,
    responses: { 200: Preferences },
    handle: async ({ db, caller, body, clock }) => {
      rejectTooLarge(body)
      await db.transaction((tx) => savePreferences(tx, caller.userId, body, timestamp(clock.now())))
      return ok(body)
    },
  }),
  route({
    method: 'PATCH',
    path,
    access,
    summary: 'Change the given fields of the caller’s preferences; null removes a field',
    tag,
    body: Preferences,
    responses: { 200: Preferences },
    handle: async ({ db, caller, body, clock }) =>
      ok(
        await db.transaction(async (tx) => {
          // Two tabs that change different fields at once must not lose one of them.
          await lockPreferences(tx, caller.userId)
          const merged = { ...(await findPreferences(tx, caller.userId)), ...body }
          const preferences = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null))
          rejectTooLarge(preferences)
          await savePreferences(tx, caller.userId, preferences, timestamp(clock.now()))
          return preferences
        }),
      ),
  }),
]

function rejectTooLarge(preferences: Record<string, unknown>): void {
  if (Buffer.byteLength(JSON.stringify(preferences)) <= PREFERENCES_BYTES_MAX) return
  throw badRequest(`The preferences are larger than ${PREFERENCES_BYTES_MAX} bytes`)
}
