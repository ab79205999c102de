import { Type } from 'typebox'
import { closed, Id, Name, NullableString, NullableText, Timestamp } from '../http/schemas.ts'

/** People read "AI application" where the wire says workspace: one object, two names. */
export const Workspace = closed(
  {
    id: Id,
    name: Type.String(),
    description: NullableString,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Workspace' },
)

export const WorkspaceParams = closed({ workspaceId: Id })
export const CreateWorkspaceBody = closed({ name: Name, description: Type.Optional(NullableText) })
export const ChangeWorkspaceBody = closed(
  { name: Type.Optional(Name), description: Type.Optional(NullableText) },
  { minProperties: 1 },
)
