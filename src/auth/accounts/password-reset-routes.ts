import { Type } from 'typebox'
import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { type Context, ok, route } from '../../http/route.ts'
import { Count, closed } from '../../http/schemas.ts'
import type { Queries } from '../../storage/db.ts'
import { hashSecret } from '../api-keys/api-key-format.ts'
import { countGrantsOfAnyWorkspace } from '../members/account-grant-queries.ts'
import { revokeAccountGrants } from '../members/account-grants.ts'
import { resetAttempts } from '../sign-in/login-throttle.ts'
import { deletePasswordReset, findPasswordReset } from './account-queries.ts'
import { setPassword } from './accounts.ts'
import { recordAccountAudit } from './manage-accounts.ts'
import { checkPassword, hashPassword } from './passwords.ts'

const access = { auth: 'none', reason: 'the secret of the reset link is the credential' } as const
const tag = 'Accounts'
const Token = Type.String({ minLength: 1, maxLength: 200 })
const ResetAccount = closed({ email: Type.String() })
const ResetLink = closed(
  {
    email: Type.String(),
    /** What the account has given to others, in all its applications. */
    grants: closed({ apiKeys: Count, invitations: Count, sharedLinks: Count }),
    /** Whether a link of the operator revokes them in any case. */
    revokesGrants: Type.Boolean(),
  },
  { title: 'PasswordResetLink' },
)

/** A POST, because a token in a URL would end up in logs. */
const lookUpPasswordReset = route({
  method: 'POST',
  path: '/password-resets/lookup',
  access,
  summary: 'Look up the account of a password reset link',
  tag,
  body: closed({ token: Token }),
  responses: { 200: ResetLink },
  handle: async ({ db, body, clock }) => {
    const { userId, email, revokesGrants } = await requireReset(db.read, clock, body.token)
    const grants = await countGrantsOfAnyWorkspace(db.read, { userId, now: timestamp(clock.now()) })
    return ok({ email, grants, revokesGrants: revokesGrants === 1 })
  },
})

const postPasswordReset = route({
  method: 'POST',
  path: '/password-resets',
  access,
  summary: 'Set a new password with a reset link and end all sessions of the account',
  tag,
  body: closed({
    token: Token,
    password: Type.String(),
    revokeGrants: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Revoke all API keys, open invitations and shared links that the account has created; a link of the operator always does',
      }),
    ),
  }),
  responses: { 200: ResetAccount },
  handle: async ({ db, body, ...context }) => {
    const { email, name } = await requireReset(db.read, context.clock, body.token)
    checkPassword(body.password, { email, names: [name] })
    const passwordHash = await hashPassword(body.password)
    await db.transaction(async (tx) => {
      // Checked again: the link may have been used or replaced while the password was hashed.
      const { userId, revokesGrants } = await requireReset(tx, context.clock, body.token)
      if (!(await deletePasswordReset(tx, hashSecret(body.token)))) throw resetNotFound()
      await setPassword({ ...context, tx }, userId, passwordHash)
      // The user has probably tried wrong passwords before; they must not delay the new one.
      await resetAttempts(tx, email)
      const work = { ...context, tx, by: { kind: 'session', userId } as const }
      await recordAccountAudit(work, userId, 'account.password-reset')
      if (revokesGrants === 1 || body.revokeGrants) await revokeAccountGrants(work, userId)
    })
    return ok({ email })
  },
})

export const passwordResetRoutes = [lookUpPasswordReset, postPasswordReset]

async function requireReset(q: Queries, clock: Context['clock'], token: string) {
  const found = await findPasswordReset(q, hashSecret(token), timestamp(clock.now()))
  if (!found) throw resetNotFound()
  return found
}

function resetNotFound(): Error {
  return notFound('Reset link')
}
