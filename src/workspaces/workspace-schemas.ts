import { Type } from 'typebox'
import { closed, Id, Name, NullableString, NullableText, Timestamp } from '../http/schemas.ts'

/** The interface calls a workspace "AI application"; both names are for the same object. */
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
