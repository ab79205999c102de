import { Type } from 'typebox'
import { Count, closed, Id, Name, NullableString, NullableText, Timestamp, TraceRefs } from '../http/schemas.ts'

/** In the API, the component that owns a dataset is called `aiComponentId`. */
export const Dataset = closed(
  {
    id: Id,
    name: Type.String(),
    description: NullableString,
    aiComponentId: Id,
    itemCount: Count,
    createdAt: Timestamp,
  },
  { title: 'Dataset' },
)

export const DatasetParams = closed({ componentId: Id, datasetId: Id })
export const CreateDatasetBody = closed({
  name: Name,
  description: Type.Optional(NullableText),
  traceIds: Type.Optional(TraceRefs),
})
export const ChangeDatasetBody = closed(
  { name: Type.Optional(Name), description: Type.Optional(NullableText) },
  { minProperties: 1 },
)
