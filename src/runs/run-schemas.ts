import { Type } from 'typebox'
import { Count, closed, Id, NAME_LENGTH_MAX, NullableString, Timestamp, TraceRefs } from '../http/schemas.ts'

/** On the wire the component that a run belongs to is called `aiComponentId`. */
export const Run = closed(
  {
    id: Id,
    name: NullableString,
    datasetId: Id,
    aiComponentId: Id,
    traceCount: Count,
    createdAt: Timestamp,
  },
  { title: 'Run' },
)

export const RunParams = closed({ componentId: Id, runId: Id })
export const CreateRunBody = closed({
  datasetId: Id,
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
  traceIds: Type.Optional(TraceRefs),
})
