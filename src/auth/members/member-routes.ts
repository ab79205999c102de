import { Type } from 'typebox'
import { timestamp } from '../../base/clock.ts'
import { created, list, noContent, ok, type Route, route } from '../../http/route.ts'
import {
  closed,
  ErrorBody,
  Id,
  listOf,
  NullableId,
  NullableString,
  NullableTimestamp,
  nullable,
  orNull,
  RoleName,
  Timestamp,
} from '../../http/schemas.ts'
import type { MailOutbox } from '../../mail/mail-outbox.ts'
import { listDirectory } from './directory-queries.ts'
import { composeInvitation } from './invitation-mail.ts'
import { inviteMember } from './invitation-operations.ts'
import { changeMember, endMemberSessions, leaveWorkspace, removeMember } from './member-operations.ts'
import { listMembers } from './member-queries.ts'

const fields = {
  /** The id of the user; of the invitation until it is accepted. */
  id: Id,
  userId: NullableId,
  name: NullableString,
  email: Type.String(),
  role: RoleName,
  state: Type.Enum(['member', 'invited'], { type: 'string' }),
  createdAt: Timestamp,
  /** When an invitation stops working; null for members. */
  expiresAt: NullableTimestamp,
  secondFactor: orNull(
    Type.Enum(['on', 'off', 'provider'], {
      type: 'string',
      description: 'provider: signs in with a provider, which decides about factors; null for invitations',
    }),
  ),
}
const Member = closed(fields, { title: 'Member' })
const CreatedMember = closed({ ...fields, invitationUrl: Type.String() }, { title: 'CreatedMember' })
const MemberParams = closed({ userId: Id })

/** Without e-mail addresses, because every member may read it. */
const DirectoryEntry = closed(
  {
    userId: Id,
    name: Type.String(),
    state: Type.Enum(['member', 'former', 'example'], { type: 'string' }),
    /** So that a member finds who may do what they may not. */
    role: nullable(RoleName, { description: 'Null unless it is a member whose account is not disabled' }),
  },
  { title: 'DirectoryEntry' },
)

const access = { auth: 'session', workspace: 'header', role: 'admin' } as const
const tag = 'Members and keys'

export function memberRoutes({ publicUrl, mails }: { publicUrl: string; mails: MailOutbox | undefined }): Route[] {
  return [
    route({
      method: 'GET',
      path: '/members',
      access,
      summary: 'List members and open invitations, newest first',
      tag,
      paged: true,
      responses: { 200: listOf(Member) },
      handle: async ({ db, principal, page, clock }) =>
        list(await listMembers(db.read, principal.workspaceId, page, timestamp(clock.now()))),
    }),
    route({
      method: 'GET',
      path: '/members/directory',
      access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
      summary: 'List the names of all authors: members, former members and authors of example data',
      tag,
      paged: true,
      responses: { 200: listOf(DirectoryEntry) },
      handle: async ({ db, principal, page }) => list(await listDirectory(db.read, principal.workspaceId, page)),
    }),
    route({
      method: 'DELETE',
      path: '/members/:userId/sessions',
      access,
      summary: 'End all sessions of a member; requires to be an admin of all applications of that user',
      tag,
      params: MemberParams,
      responses: { 204: null },
      handle: async ({ db, principal, params, ...context }) => {
        await db.transaction((tx) => endMemberSessions({ ...context, tx, by: principal }, params.userId))
        return noContent()
      },
    }),
    route({
      method: 'POST',
      path: '/members',
      access,
      summary: 'Invite a user by e-mail address, and send the link in the response by e-mail if the server can',
      tag,
      body: closed({ email: Type.String({ minLength: 1, maxLength: 254 }), role: RoleName }),
      returnsSecret: true,
      responses: { 201: CreatedMember },
      handle: async ({ db, principal, body, ...context }) => {
        const work = { ...context, by: principal }
        const { invitation, token } = await db.transaction((tx) => inviteMember({ ...work, tx }, body))
        // The token is in the fragment, which browsers do not send, so it never appears in a log.
        const invitationUrl = `${publicUrl}/invite#${token}`
        const invited = { by: principal, invitation, link: invitationUrl }
        mails?.add('invitation', () => composeInvitation({ db, clock: context.clock }, invited))
        return created({ ...invitation, invitationUrl })
      },
    }),
    route({
      method: 'PATCH',
      path: '/members/:userId',
      access,
      summary: 'Change the role of a member or an invitation',
      tag,
      params: MemberParams,
      body: closed({ role: RoleName }),
      responses: { 200: Member },
      handle: async ({ db, principal, params, body, ...context }) =>
        ok(
          await db.transaction((tx) => changeMember({ ...context, tx, by: principal }, { id: params.userId, ...body })),
        ),
    }),
    route({
      method: 'DELETE',
      path: '/members/me',
      access: { ...access, role: 'viewer' },
      summary: 'Leave the application and revoke the caller’s keys',
      tag,
      responses: { 204: null, 404: ErrorBody },
      handle: async ({ db, principal, ...context }) => {
        await db.transaction((tx) => leaveWorkspace({ ...context, tx, by: principal }))
        return noContent()
      },
    }),
    route({
      method: 'DELETE',
      path: '/members/:userId',
      access,
      summary: 'Remove a member and revoke their keys, or withdraw an invitation',
      tag,
      params: MemberParams,
      responses: { 204: null },
      handle: async ({ db, principal, params, ...context }) => {
        await db.transaction((tx) => removeMember({ ...context, tx, by: principal }, params.userId))
        return noContent()
      },
    }),
  ]
}
