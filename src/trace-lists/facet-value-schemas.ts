import { Type } from 'typebox'
import { closed, described, NullableInteger } from '../http/schemas.ts'
import { TraceListQuery } from '../traces/trace-schemas.ts'

/** Fields of the query language with values to suggest; `score` and `metadata` suggest the name after the dot. */
const SUGGESTED_FIELDS = [
  'status',
  'kind',
  'name',
  'model',
  'provider',
  'tag',
  'user',
  'session',
  'service',
  'environment',
  'component',
  'rating',
  'score',
  'metadata',
  'has',
] as const

export type SuggestedField = (typeof SUGGESTED_FIELDS)[number]

export const FacetsQuery = closed({
  ...TraceListQuery.properties,
  field: Type.Enum(SUGGESTED_FIELDS, {
    type: 'string',
    description: 'A field of the query language. `score` returns names of evaluators, `metadata` names of keys.',
  }),
  prefix: Type.Optional(
    Type.String({
      maxLength: 300,
      description:
        'Returns only values that begin with it. The case of ASCII letters is ignored if the field has at most 200 values.',
    }),
  ),
})

export const FacetValues = closed(
  {
    data: Type.Array(
      closed({
        value: Type.String(),
        count: described(NullableInteger, 'The number of traces; null if it is not counted.'),
        isExact: Type.Boolean({ description: 'False if counting stopped: `count` is then a minimum.' }),
      }),
      { description: 'At most 50 values, the most frequent first.' },
    ),
    isComplete: Type.Boolean({ description: 'False if there may be more values.' }),
  },
  { title: 'FacetValues' },
)
