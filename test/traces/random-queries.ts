/** Random queries of the language and random parameters, about the values of the world. */
import fc from 'fast-check'
import type { TraceFilter } from '../../src/traces/trace-filter.ts'
import {
  ATTRIBUTES,
  ENVIRONMENTS,
  FIRST_NS,
  HOUR_NS,
  MODELS,
  makeWorld,
  NAMES,
  PEOPLE,
  PROMPTS,
  RATINGS,
  SERVICES,
  TAGS,
  TEXTS,
} from './query-world.ts'

export const NOW = Number(FIRST_NS / 1_000_000n) + 8 * 3_600_000
export const world = makeWorld(90)
export const COMPONENT = world.components[0]?.id ?? ''

const pick = (values: readonly string[]) => fc.constantFrom(...values)
const operator = fc.constantFrom('', '>', '>=', '<', '<=', '=')
const text = fc.oneof(
  pick(TEXTS).map(quoted),
  pick(['re*', '*und', '?xb', 'a?b', '*%*', 'Är*', '*🧪?l*', 'refund', 'policy']),
)
const named = (field: string, values: readonly string[]) =>
  fc
    .oneof(
      pick(values).map(quoted),
      pick(values).map((value) => `${value.slice(0, 2).replace(/[ "]/g, '?')}*`),
      pick(['*']),
    )
    .map((value) => `${field}:${value}`)
const numeric = (field: string, values: readonly string[]) =>
  fc.oneof(
    fc.tuple(operator, pick(values)).map(([sign, value]) => `${field}:${sign}${value}`),
    fc
      .tuple(pick(['[', '{']), pick([...values, '*']), pick([...values, '*']), pick([']', '}']))
      .map(([open, from, to, close]) => `${field}:${open}${from} TO ${to}${close}`),
  )
const TIMES = [
  '-3h',
  '-6h',
  '2025-11-14',
  '2025-11-14T08:00:00Z',
  '2025-11-14T08:30:00Z',
  '2025-11-14T09:59:59.999999999Z',
]

export const anyTerm = fc.oneof(
  text,
  text.map((value) => `input:${value}`),
  text.map((value) => `output:${value}`),
  pick([
    'status:ok',
    'status:error',
    'kind:llm',
    'kind:tool',
    'kind:*',
    'has:annotation',
    'has:error',
    'has:input',
    'has:output',
    'has:cost',
  ]),
  named('name', [...NAMES, ...TEXTS]),
  named('model', MODELS),
  named('provider', ['openai', 'anthropic']),
  named('tag', TAGS),
  named('prompt', PROMPTS),
  named('user', PEOPLE),
  named('session', PEOPLE),
  named('service', SERVICES),
  named('environment', ENVIRONMENTS),
  named('component', ['Support bot', 'support bot', 'SUPPORT%bot', 'Gone', COMPONENT]),
  named('rating', RATINGS),
  numeric('latency', ['0', '0.5', '500ms', '2s', '2', '2m']),
  numeric('cost', ['0', '0.01', '.25', '3']),
  numeric('tokens', ['0', '4.5', '5', '1e3']),
  numeric('score.correctness', ['0', '0.25', '0.5', '1']),
  numeric('start', TIMES),
  fc
    .tuple(
      pick(ATTRIBUTES),
      pick(['prod', 'Prod', '"5"', '5', '>0.2', '[0 TO 5]', 'true', '*', 'p?od', '*?b?*', '"50% off"']),
    )
    .map(([key, value]) => `${quoted(`metadata.${key}`)}:${value}`),
  pick(
    world.traces.slice(0, 5).flatMap(({ id, traceId }) => [`id:${id}`, `trace:${traceId}`, `id:${id.slice(0, 12)}*`]),
  ),
)

export const { query } = fc.letrec<{ query: string; group: string }>((tie) => ({
  query: fc.oneof(
    { depthSize: 'medium' },
    anyTerm,
    fc.tuple(tie('group'), pick([' ', ' AND ', ' OR ']), tie('group')).map((parts) => parts.join('')),
  ),
  group: fc.oneof(
    { depthSize: 'medium' },
    anyTerm,
    anyTerm.map((term) => `-${term}`),
    tie('query').map((inner) => `(${inner})`),
    tie('query').map((inner) => `NOT (${inner})`),
  ),
}))

const moment = fc
  .tuple(fc.bigInt(-2n, 9n), fc.constantFrom(0n, 1n, 1_800_000_000_000n, HOUR_NS - 1n))
  .map(([hours, rest]) => (FIRST_NS / HOUR_NS + hours) * HOUR_NS + rest)
export const summedFields: fc.Arbitrary<TraceFilter> = fc.record(
  {
    status: fc.constantFrom('ok' as const, 'error' as const),
    startAfter: fc.oneof(moment, fc.constant(-5n)),
    startBefore: moment,
    componentId: pick(world.components.map(({ id }) => id)),
    service: pick(SERVICES),
    environment: pick([...ENVIRONMENTS, 'none']),
  },
  { requiredKeys: [] },
)
export const fields: fc.Arbitrary<TraceFilter> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 2 },
  { arbitrary: summedFields, weight: 1 },
  {
    arbitrary: fc.record({ sessionId: pick(PEOPLE), userId: pick(PEOPLE), startAfter: moment }, { requiredKeys: [] }),
    weight: 1,
  },
)

export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
