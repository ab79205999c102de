import { Type } from 'typebox'
import { closed } from '../../http/schemas.ts'
import { FIELD_NAMES } from '../../traces/query/query-fields.ts'
import { defineTool } from '../tool.ts'

/** Each is a complete query; a test parses them. */
export const QUERY_EXAMPLES = [
  ['status:error kind:tool', 'failed traces with a call of a tool; AND is optional'],
  ['model:gpt-4o* latency:>5s -tag:test', 'a pattern, a comparison, and NOT; * matches any characters, ? one'],
  ['"could not find your order" environment:production', 'a phrase in names, inputs or outputs'],
  [
    '(rating:down OR score.correctness:<0.5) start:>-7d',
    'OR needs parentheses next to other terms; times may be relative',
  ],
  ['cost:[0.1 TO 0.5] tokens:>=10000', 'a range with both ends; {0.1 TO 0.5} excludes them; * leaves an end open'],
  ['start:[2026-11-01 TO 2026-11-14]', 'days in UTC, or RFC 3339 date-times'],
  ['session:* -has:cost', 'with any session, and without a known cost'],
  ['"score.Answer quality":>=0.8', 'a name with spaces: quote the whole name'],
  ['metadata.retry.count:>=3', 'an attribute of a span, by its exact key'],
  ['input:"order number" NOT output:sorry', 'text in inputs, and not in outputs'],
] as const

const RULES = [
  'A query selects traces: a term matches a trace if any of its spans matches, a negated term if none does.',
  'A word without a field is searched in names, inputs and outputs of spans.',
  'Values with spaces or colons are quoted. AND, OR, NOT and TO are upper case. NOT binds closest, then AND, then OR.',
  'Comparisons are :>, :>=, :<, :<=. Durations have a unit: us, ms, s, m, h. Relative times: -24h, -7d.',
  'status is ok or error; kind is llm, embedding, retriever, reranker, tool, agent, chain, guardrail, evaluator, prompt or span; has is annotation, error, input, output or cost.',
  'A query has at most 2,000 characters and 50 terms. Errors name the character.',
]

export const explainQueryLanguage = defineTool({
  name: 'explain_query_language',
  title: 'Explain the query language',
  description:
    'Returns the fields, the syntax and examples of the query language of search_traces, list_worst_cases and create_dataset_from_traces.',
  routes: [],
  input: closed({}),
  facts: { fields: Type.Array(Type.String()), rules: Type.Array(Type.String()) },
  row: closed({ query: Type.String(), finds: Type.String() }),
  narrow: '',
  run: async () => ({
    facts: { fields: FIELD_NAMES, rules: RULES },
    rows: QUERY_EXAMPLES.map(([query, finds]) => ({ query, finds })),
  }),
})
