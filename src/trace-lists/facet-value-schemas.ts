import { Type } from 'typebox'
import { nameListQuery } from '../http/query-parameters.ts'
import { closed, described, NullableInteger } from '../http/schemas.ts'
import { TraceListQuery } from '../traces/trace-schemas.ts'

/** Fields of the query language with values to suggest; `score` and `metadata` suggest the name after the dot. */
export const SUGGESTED_FIELDS = [
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
  'prompt',
  'source',
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

/** Those that belong to a trace as a whole. */
export const DEFAULT_FIELDS: readonly SuggestedField[] = [
  'status',
  'model',
  'tag',
  'user',
  'session',
  'environment',
  'prompt',
  'source',
  'component',
  'rating',
  'score',
]

export const FacetGroupsQuery = closed({
  ...TraceListQuery.properties,
  fields: nameListQuery(SUGGESTED_FIELDS, {
    isEmptyAllowed: false,
    description: `The fields, separated by commas: any of ${SUGGESTED_FIELDS.join(', ')}. Default: ${DEFAULT_FIELDS.join(', ')}.`,
  }),
})

const Values = Type.Array(
  closed({
    value: Type.String(),
    count: described(NullableInteger, 'The number of traces; null if it is not counted.'),
    isExact: Type.Boolean({ description: 'False if counting stopped: `count` is then a minimum.' }),
  }),
  { description: 'At most 50 values, the most frequent first.' },
)
const IsComplete = Type.Boolean({ description: 'False if there may be more values.' })

export const FacetValues = closed({ data: Values, isComplete: IsComplete }, { title: 'FacetValues' })

export const FacetGroups = closed(
  {
    data: Type.Array(
      closed({
        field: Type.Enum(SUGGESTED_FIELDS, { type: 'string' }),
        values: Values,
        isComplete: IsComplete,
      }),
      { description: 'In the order of the fields of the query language.' },
    ),
  },
  { title: 'FacetGroups' },
)
