import { Type } from 'typebox'
import { ROLES } from '../../base/principal.ts'
import { closed, Id, NullableTimestamp, Timestamp } from '../../http/schemas.ts'
import { KEY_ROLE_MAX } from './create-api-key.ts'

export const KeyRole = Type.Enum(ROLES.slice(0, ROLES.indexOf(KEY_ROLE_MAX) + 1), {
  title: 'KeyRole',
  type: 'string',
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
