import { Type } from 'typebox'
import { created, ok, route } from '../../http/route.ts'
import { closed, Id, RoleName, Timestamp, UserName } from '../../http/schemas.ts'
import { checkPassword, hashPassword } from '../accounts/passwords.ts'
import { acceptInvitation, requireInvitation, signUpByInvitation } from './invitation-operations.ts'

const access = { auth: 'none', reason: 'the secret of the invitation link is the credential' } as const
const tag = 'Accounts'
const Token = Type.String({ minLength: 1, maxLength: 200 })
const Joined = closed({ workspaceId: Id })

/** A POST, because a token in a URL would end up in logs. */
const lookUpInvitation = route({
  method: 'POST',
  path: '/invitations/lookup',
  access,
  summary: 'Look up an invitation by the token of its link',
  tag,
  body: closed({ token: Token }),
  responses: {
    200: closed(
      { email: Type.String(), workspaceName: Type.String(), role: RoleName, expiresAt: Timestamp },
      { title: 'Invitation' },
    ),
  },
  handle: async ({ db, body, clock }) => {
    const { email, workspaceName, role, expiresAt } = await requireInvitation({ tx: db.read, clock }, body.token)
    return ok({ email, workspaceName, role, expiresAt })
  },
})

const postInvitationAccept = route({
  method: 'POST',
  path: '/invitations/accept',
  access: { auth: 'session' },
  summary: 'Accept an invitation with the signed-in account, whose e-mail address must match',
  tag,
  body: closed({ token: Token }),
  responses: { 201: Joined },
  handle: async ({ db, caller, body, ...context }) =>
    created({
      workspaceId: await db.transaction((tx) => acceptInvitation({ ...context, tx }, caller, body.token)),
    }),
})

const postInvitationSignUp = route({
  method: 'POST',
  path: '/invitations/sign-up',
  access,
  summary: 'Create an account with an invitation and join the application',
  tag,
  body: closed({ token: Token, name: UserName, password: Type.String() }),
  responses: { 201: Joined },
  handle: async ({ db, body, ...context }) => {
    const { email, workspaceName } = await requireInvitation({ tx: db.read, clock: context.clock }, body.token)
    checkPassword(body.password, { email, names: [body.name, workspaceName] })
    const passwordHash = await hashPassword(body.password)
    const account = { token: body.token, name: body.name, passwordHash }
    return created({ workspaceId: await db.transaction((tx) => signUpByInvitation({ ...context, tx }, account)) })
  },
})

export const invitationRoutes = [lookUpInvitation, postInvitationAccept, postInvitationSignUp]
