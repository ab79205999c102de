import { Type } from 'typebox'
import { Count, closed, Id, listOf, Name, NullableId } from '../../http/schemas.ts'

const UnknownComponent = closed(
  {
    name: Type.String(),
    /** Counted up to 10,000. */
    traceCount: Count,
    /** Of a component that was created with this name after the traces had been stored; otherwise null. */
    componentId: NullableId,
  },
  { title: 'UnknownComponent' },
)

export const UnknownComponents = listOf(UnknownComponent)

export const AssignTracesBody = closed({ name: Name })

export const AssignedTraces = closed(
  {
    componentId: Id,
    /** How many traces this request has assigned. */
    assignedCount: Count,
    /** Whether more traces name the component: send the request again. */
    hasMore: Type.Boolean(),
  },
  { title: 'AssignedTraces' },
)
