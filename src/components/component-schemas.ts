import { Type } from 'typebox'
import { closed, Id, Name, NullableString, NullableText, Timestamp } from '../http/schemas.ts'

export const Component = closed(
  {
    id: Id,
    name: Type.String(),
    description: NullableString,
    workspaceId: Id,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Component' },
)

export const ComponentParams = closed({ componentId: Id })
export const CreateComponentBody = closed({ name: Name, description: Type.Optional(NullableText) })
export const ChangeComponentBody = closed(
  { name: Type.Optional(Name), description: Type.Optional(NullableText) },
  { minProperties: 1 },
)
export const CreatedComponent = closed({ id: Id })
