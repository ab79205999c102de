import { Type } from 'typebox'
import { ok, route } from '../../http/route.ts'
import { closed, Id, NullableString, RoleName } from '../../http/schemas.ts'
import { findUser } from './account-queries.ts'

/** Returns the role here, because the specification allows no additional fields in the workspace object. */
export const getMe = route({
  method: 'GET',
  path: '/me',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the caller with its application and role',
  tag: 'Accounts',
  responses: {
    200: closed(
      {
        kind: Type.Enum(['api-key', 'session'], { type: 'string' }),
        userId: Id,
        name: NullableString,
        email: NullableString,
        role: RoleName,
        workspaceId: Id,
      },
      { title: 'Me' },
    ),
  },
  handle: async ({ db, principal }) => {
    const { kind, userId, role, workspaceId } = principal
    const user = await findUser(db.read, userId)
    return ok({ kind, userId, name: user?.name ?? null, email: user?.email ?? null, role, workspaceId })
  },
})
