import { Type } from 'typebox'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { created, ok, route } from '../http/route.ts'
import { closed, Id, Name } from '../http/schemas.ts'
import { createAccount } from './accounts.ts'
import { hashSecret } from './api-key-format.ts'
import { recordAudit } from './audit.ts'
import { deleteInvitation, findInvitationOfAnyWorkspace, insertMember } from './member-queries.ts'
import { checkPassword, hashPassword } from './passwords.ts'

const access = { auth: 'none', reason: 'the secret of the invitation link is the credential' } as const
const tag = 'Accounts'
const Token = Type.String({ minLength: 1, maxLength: 200 })

/** A POST, because a token in a URL would end up in logs. */
export const lookUpInvitation = route({
  method: 'POST',
  path: '/invitations/lookup',
  access,
  summary: 'Tells what an invitation link is for',
  tag,
  body: closed({ token: Token }),
  responses: { 200: closed({ email: Type.String(), workspaceName: Type.String() }, { title: 'Invitation' }) },
  handle: async ({ db, body, clock }) => {
    const invitation = await findInvitationOfAnyWorkspace(db.read, hashSecret(body.token), timestamp(clock.now()))
    if (!invitation) throw notFound('Invitation')
    return ok({ email: invitation.email, workspaceName: invitation.workspaceName })
  },
})

export const acceptInvitation = route({
  method: 'POST',
  path: '/invitations/accept',
  access,
  summary: 'Makes the account of an invited person',
  tag,
  body: closed({ token: Token, name: Name, password: Type.String() }),
  responses: { 201: closed({ workspaceId: Id }) },
  handle: async ({ db, body, ...context }) => {
    const tokenHash = hashSecret(body.token)
    const found = await findInvitationOfAnyWorkspace(db.read, tokenHash, timestamp(context.clock.now()))
    if (!found) throw notFound('Invitation')
    checkPassword(body.password, { email: found.email, names: [body.name, found.workspaceName] })
    const passwordHash = await hashPassword(body.password)
    const workspaceId = await db.transaction(async (tx) => {
      // Looked up again: between the two, another request may have used the link.
      const invitation = await findInvitationOfAnyWorkspace(tx, tokenHash, timestamp(context.clock.now()))
      if (!invitation || !(await deleteInvitation(tx, invitation.workspaceId, invitation.id)))
        throw notFound('Invitation')
      const { id: userId } = await createAccount(
        { tx, ...context },
        { email: invitation.email, name: body.name, passwordHash },
      )
      const createdAt = timestamp(context.clock.now())
      await insertMember(tx, { workspaceId: invitation.workspaceId, userId, role: invitation.role, createdAt })
      await recordAudit(tx, context, {
        by: { kind: 'session', userId },
        workspaceId: invitation.workspaceId,
        action: 'member.joined',
        resourceId: userId,
      })
      return invitation.workspaceId
    })
    return created({ workspaceId })
  },
})
