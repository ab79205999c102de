import { Type } from 'typebox'
import { ROLES, type Role } from '../../base/principal.ts'
import { closed, Id, NullableTimestamp, Timestamp } from '../../http/schemas.ts'
import { KEY_ROLE_MAX } from './create-api-key.ts'

export const KeyRole = Type.Unsafe<Role>({
  title: 'KeyRole',
  type: 'string',
  enum: ROLES.slice(0, ROLES.indexOf(KEY_ROLE_MAX) + 1),
})

export const ApiKey = closed(
  {
    id: Id,
    name: Type.String(),
    role: KeyRole,
    prefix: Type.String(),
    lastFour: Type.String(),
    createdBy: Id,
    createdAt: Timestamp,
    lastUsedAt: NullableTimestamp,
    expiresAt: NullableTimestamp,
  },
  { title: 'ApiKey' },
)
