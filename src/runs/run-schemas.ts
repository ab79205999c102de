import { Type } from 'typebox'
import {
  Count,
  closed,
  Id,
  NAME_LENGTH_MAX,
  NullableId,
  NullableString,
  orNull,
  Timestamp,
  TraceRefs,
} from '../http/schemas.ts'
import { TraceSummary } from '../traces/trace-schemas.ts'

/** In the API, the component of a run is called `aiComponentId`. */
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

/** A trace of a run, with its item of the dataset. */
export const RunTrace = closed({ ...TraceSummary.properties, itemId: NullableId }, { title: 'RunTrace' })

export const RunParams = closed({ componentId: Id, runId: Id })
export const CreateRunBody = closed({
  datasetId: Id,
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH_MAX })),
  traceIds: Type.Optional(TraceRefs),
})
/** The only field of a run that users can change. Null removes the name. */
export const ChangeRunBody = closed(
  { name: Type.Optional(orNull(Type.String({ maxLength: NAME_LENGTH_MAX }))) },
  { minProperties: 1 },
)
export const LinkTracesBody = closed({ traceIds: TraceRefs })

export const LinkFromQueryBody = closed(
  {
    q: Type.String({ minLength: 1, maxLength: 2_000, description: 'A query of the query language.' }),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'The newest traces that match are linked, at most this many; 100 by default.',
      }),
    ),
  },
  { title: 'TracesFromQuery' },
)
export const LinkedFromQuery = closed(
  {
    added: Count,
    skipped: Type.Integer({ minimum: 0, description: 'Traces that are linked to the run already.' }),
    run: Run,
  },
  { title: 'TracesFromQueryResult' },
)
