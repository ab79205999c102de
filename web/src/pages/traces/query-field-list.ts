import type { FacetField } from '../../api/facets-query.ts'

/** What the query bar says about the fields of the query language. The server decides what is valid. */
export interface QueryField {
  name: string
  /** A few words: "Finds traces by …". */
  meaning: string
  /** The API suggests values; for fields with a key, names of keys. */
  facet?: FacetField
  /** Followed by a dot and a name: `score.correctness`. */
  isKeyed?: boolean
  /** What can be written after the colon where values are not suggested. */
  samples?: readonly { value: string; meaning: string }[]
}

/** In the order of the guide; `trace` means the same as `id` and is not suggested. */
export const queryFields: readonly QueryField[] = [
  { name: 'status', meaning: 'ok or error', facet: 'status' },
  { name: 'kind', meaning: 'kind of a span: llm, tool, agent …', facet: 'kind' },
  { name: 'name', meaning: 'name of a span', facet: 'name' },
  { name: 'model', meaning: 'model of a call', facet: 'model' },
  { name: 'provider', meaning: 'provider of the model', facet: 'provider' },
  {
    name: 'latency',
    meaning: 'duration',
    samples: [
      { value: '>2s', meaning: 'longer than 2 seconds' },
      { value: '<500ms', meaning: 'shorter than half a second' },
      { value: '[1s TO 5s]', meaning: '1 to 5 seconds' },
    ],
  },
  {
    name: 'cost',
    meaning: 'cost in US dollars',
    samples: [
      { value: '>0.05', meaning: 'more than 5 cents' },
      { value: '[0.01 TO 0.1]', meaning: '1 to 10 cents' },
    ],
  },
  {
    name: 'tokens',
    meaning: 'tokens of all model calls',
    samples: [
      { value: '>10000', meaning: 'more than 10,000' },
      { value: '<=500', meaning: 'at most 500' },
    ],
  },
  { name: 'input', meaning: 'text in an input' },
  { name: 'output', meaning: 'text in an output' },
  { name: 'tag', meaning: 'tag of the trace', facet: 'tag' },
  { name: 'user', meaning: 'user reported by the sender', facet: 'user' },
  { name: 'session', meaning: 'session', facet: 'session' },
  { name: 'service', meaning: 'service that started the trace', facet: 'service' },
  { name: 'environment', meaning: 'environment', facet: 'environment' },
  { name: 'prompt', meaning: 'version of a prompt, such as answer@12', facet: 'prompt' },
  { name: 'source', meaning: 'production, run, trial, experiment or playground', facet: 'source' },
  { name: 'component', meaning: 'component, by name or id', facet: 'component' },
  { name: 'rating', meaning: 'rating in an annotation', facet: 'rating' },
  {
    name: 'score',
    meaning: 'score of an evaluator',
    facet: 'score',
    isKeyed: true,
    samples: [
      { value: '<0.5', meaning: 'below 0.5' },
      { value: '>=0.8', meaning: 'at least 0.8' },
    ],
  },
  { name: 'metadata', meaning: 'attribute of a span, by its key', facet: 'metadata', isKeyed: true },
  { name: 'has', meaning: 'annotation, error, input, output or cost', facet: 'has' },
  { name: 'id', meaning: 'id of the trace' },
  {
    name: 'start',
    meaning: 'start time',
    samples: [
      { value: '>-1h', meaning: 'in the last hour' },
      { value: '>-24h', meaning: 'in the last 24 hours' },
      { value: '>-7d', meaning: 'in the last 7 days' },
    ],
  },
]

export function findQueryField(name: string): QueryField | undefined {
  return queryFields.find((field) => field.name === name.toLowerCase())
}
