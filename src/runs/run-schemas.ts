import { Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  NAME_LENGTH_MAX,
  NullableId,
  NullableString,
  Timestamp,
  TraceRefs,
} from '../http/schemas.ts'
import { TraceSummary } from '../traces/trace-schemas.ts'

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

/** A trace of a run, and the item of the dataset that it was made for. */
export const RunTrace = closed({ ...TraceSummary.properties, itemId: NullableId }, { title: 'RunTrace' })

export const RunParams = closed({ componentId: Id, runId: Id })
export const CreateRunBody = closed({
  datasetId: Id,
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
  traceIds: Type.Optional(TraceRefs),
})
/** The one thing of a run that people choose. Null takes the name away. */
export const ChangeRunBody = closed(
  { name: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: NAME_LENGTH_MAX })) },
  { minProperties: 1 },
)
export const LinkTracesBody = closed({ traceIds: TraceRefs })
