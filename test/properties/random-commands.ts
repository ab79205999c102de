/** Random requests, right and wrong, made from the routes themselves; ids are named by what was made before. */
import fc from 'fast-check'
import type { Route } from '../../src/http/route.ts'
import { type IdSlot, idSlotsOf, nameOf, ROUTES } from '../isolation/route-requests.ts'

/** An id that was answered before (the n-th of its kind, counted from the newest), or one that was not. */
export type IdChoice = { newest: number; form: 'plain' | 'upper' } | { text: string }

export type Command = {
  /** Its method and path: the whole of it would drown what a failed run prints. */
  route: string
  ids: Record<string, IdChoice>
  /** Whether its ids need not be below each other. */
  isCrossed: boolean
  hasOptionalIds: boolean
  body: Record<string, unknown> | undefined
  query: string
  /** How far the clock advances before it. */
  moveMs: number
  idempotencyKey: string | undefined
}

const WEIGHTS: Record<string, number> = {
  'POST /components': 4,
  'POST /components/:componentId/datasets': 8,
  'POST /components/:componentId/runs': 8,
  'POST /components/:componentId/runs/:runId/annotations': 14,
  'POST /components/:componentId/evaluations': 3,
  'POST /components/:componentId/datasets/:datasetId/items': 4,
  'POST /components/:componentId/traces': 14,
  'GET /traces': 12,
  'GET /traces/:traceId': 4,
}
/**
 * Their answers are of the installation and the moment, or end what the other commands need: the workspace, or one's place in it. The traces
 * of the example data have ids that follow from random ones, and are in their order.
 */
const LEFT_OUT = [
  'GET /health',
  'GET /ready',
  'GET /openapi.json',
  'POST /setup',
  'POST /example-data',
  'DELETE /workspaces/:workspaceId',
  'DELETE /members/me',
]

const route = fc.oneof(
  ...ROUTES.filter((declared) => !LEFT_OUT.includes(nameOf(declared))).map((declared) => ({
    arbitrary: fc.constant(declared),
    weight: WEIGHTS[nameOf(declared)] ?? 1,
  })),
)

const PLAIN: Omit<Command, 'route'> = {
  ids: {},
  isCrossed: false,
  hasOptionalIds: false,
  body: undefined,
  query: '',
  moveMs: 0,
  idempotencyKey: undefined,
}

/** With these a workspace is not empty when the random ones begin. */
export const FIRST_COMMANDS: Command[] = [
  { ...PLAIN, route: 'POST /components', body: { name: 'First' } },
  {
    ...PLAIN,
    route: 'POST /components/:componentId/datasets',
    body: { name: 'First', traceIds: ['a', 'A', 'b', 'Z'] },
  },
  { ...PLAIN, route: 'POST /components/:componentId/runs', body: { traceIds: ['a', 'B', 'é'] } },
]

/** An evaluation that fails, is tried again and is read while the clock advances: only its job shows when it is finished. */
export const RETRIED_EVALUATION: Command[] = [
  { ...PLAIN, route: 'POST /components/:componentId/evaluations', body: {} },
  { ...PLAIN, route: 'POST /components/:componentId/evaluations/:evaluationId/retry' },
  ...Array.from({ length: 5 }, () => ({
    ...PLAIN,
    route: 'GET /components/:componentId/evaluations/:evaluationId',
    moveMs: 1,
  })),
]

export function routeOf({ route: name }: Command): Route {
  const found = ROUTES.find((declared) => nameOf(declared) === name)
  if (!found) throw new Error(`There is no route ${name}`)
  return found
}

const ODD_IDS = [
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '01890A5D-AC96-174B-BCCE-B302099A8057',
  '01890a5d-ac96-974b-bcce-b302099a8057',
  'not-a-uuid',
  "' or 1=1 --",
]
const idChoice: fc.Arbitrary<IdChoice> = fc.oneof(
  {
    arbitrary: fc.record({ newest: fc.nat(2), form: fc.constantFrom('plain', 'plain', 'plain', 'upper') }),
    weight: 12,
  },
  { arbitrary: fc.constantFrom(...ODD_IDS).map((text) => ({ text })), weight: 1 },
)

/** Texts that engines are known to treat differently: case, accents, wildcards, quotes, order, length, what cannot be stored. */
const TEXTS = [
  'a',
  'A',
  'b',
  'B',
  'é',
  'E\u0301',
  'ß',
  '%',
  '_',
  "'",
  '"',
  '\\',
  '\\u0041',
  '$1',
  '?',
  '{}',
  '😀',
  '\u2028',
  ' ',
]
const text = fc.oneof(
  { arbitrary: fc.constantFrom(...TEXTS), weight: 6 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 8 }), weight: 3 },
  { arbitrary: fc.constantFrom('', 'x'.repeat(500), 'x'.repeat(501), '😀'.repeat(500), '\u0000', '\ud800'), weight: 1 },
)
const junk = fc.constantFrom<unknown>(null, 1, 1.5, true, [], {}, [[]], '', 'x'.repeat(20_001))
const traceIds = fc.array(fc.constantFrom(...TEXTS, 'z', 'Z', 'aa', 'Aa', 'a_', 'a-', '10', '9'), { maxLength: 12 })
const evaluator = fc.record(
  {
    type: fc.constantFrom('humanRating', 'exactMatch', 'unheard of'),
    name: fc.constantFrom('a', 'B', 'a'),
    positive: fc.constantFrom(['positive'], ['ok'], []),
  },
  { requiredKeys: ['type'] },
)
const config = fc.oneof(
  fc.constant({}),
  fc.record({ evaluators: fc.array(evaluator, { maxLength: 3 }) }),
  fc.record({ unknown: fc.jsonValue({ maxDepth: 3 }).filter((value) => !JSON.stringify(value).includes('__proto__')) }),
)

const span = fc.record(
  {
    spanId: fc.constantFrom('a', 'b', 'B', '00000000000000aB'),
    parentSpanId: fc.constantFrom('a', 'b', 'c', '00000000000000Ab'),
    name: fc.constantFrom(...TEXTS),
    kind: fc.constantFrom('llm', 'tool', 'agent'),
    status: fc.constantFrom('ok', 'error'),
    model: fc.constantFrom('gpt-4o', 'GPT-4o', 'é'),
    inputTokens: fc.nat(1_000),
    costUsd: fc.constantFrom(0, 0.1, 0.2, 1e-9),
    input: fc.constantFrom<unknown>(...TEXTS, { a: 'ä' }, null),
  },
  { requiredKeys: [] },
)

/** A good value of each field; fields that are not listed are not sent. */
const FIELDS: Record<string, fc.Arbitrary<unknown>> = {
  traceId: fc.constantFrom(
    ...TEXTS,
    'z',
    'Z',
    'aa',
    'ABCDEFABCDEFABCDEFABCDEFABCDEF12',
    'abcdefabcdefabcdefabcdefabcdef12',
  ),
  input: fc.constantFrom<unknown>(...TEXTS, 'Some Text', { a: ['ä', null] }, null),
  output: fc.constantFrom<unknown>(...TEXTS, 7, null),
  expected: fc.constantFrom<unknown>(...TEXTS, null),
  metadata: fc.constantFrom({}, { é: 'É', n: 1.5 }, { deep: { a: [1] } }),
  kind: fc.constantFrom('llm', 'tool', 'agent', 'unheard of'),
  status: fc.constantFrom('ok', 'error'),
  startTime: fc.constantFrom('2026-11-14T23:59:59.999999999Z', '2026-11-01T00:00:00+02:00', '1969-12-31T23:59:59Z'),
  endTime: fc.constantFrom('2026-11-14T23:59:59.999999999Z', '2026-11-01T00:00:00.5+02:00', 'soon'),
  model: fc.constantFrom('gpt-4o', 'GPT-4o', 'claude_3', 'é'),
  inputTokens: fc.constantFrom(0, 7, 2 ** 53 - 1, 2 ** 53, -1),
  costUsd: fc.constantFrom(0, 0.1, 1e-9, 12_345.678),
  sessionId: fc.constantFrom(...TEXTS),
  userId: fc.constantFrom('a', 'A', '%'),
  tags: fc.array(fc.constantFrom(...TEXTS), { maxLength: 3 }),
  dataset: fc.constantFrom('First', 'first', 'new one'),
  run: fc.constantFrom('v1', 'V1'),
  itemId: fc.constantFrom('no item', '01890a5d-ac96-774b-bcce-b302099a8057'),
  spans: fc.array(span, { maxLength: 5 }),
  modelPattern: fc.constantFrom('gpt-4o', 'claude.*', '(', 'é'),
  inputPerMillion: fc.constantFrom(0, 2.5, 1_000_000, -1),
  outputPerMillion: fc.constantFrom(0, 10),
  startAfter: fc.constantFrom('2026-11-01T00:00:00Z', null, 'yesterday'),
  days: fc.constantFrom(null, 3_650, 0),
  name: text,
  description: fc.oneof(text, fc.constant(null)),
  traceIds,
  traceDbId: fc.constantFrom(...TEXTS, 'z', 'Z', 'aa'),
  rating: fc.constantFrom('positive', 'positive', 'negative', 'ok', ''),
  comment: text,
  correctedOutput: text,
  text,
  note: text,
  limit: fc.constantFrom(1, 3, 10, 11),
  include: fc.constantFrom(['texts'], ['texts', 'metadata'], ['ratings']),
  config,
  email: fc.constantFrom('ann@example.com', 'BOB@example.com', 'bob@Example.com', 'no address', 'a'.repeat(250)),
  role: fc.constantFrom('viewer', 'annotator', 'editor', 'admin', 'owner', 'king'),
  expiresAt: fc.constantFrom(null, '2099-01-01T00:00:00Z', '2001-01-01T00:00:00Z', '2099-02-30T00:00:00+02:00', 'soon'),
  token: fc.constantFrom('wrong', ''),
  password: fc.constantFrom('correct horse, charged battery', 'short'),
}

const query = fc.oneof(
  { arbitrary: fc.constant(''), weight: 3 },
  {
    arbitrary: fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.nat(5))
      .map(([limit, offset]) => `?limit=${limit}&offset=${offset}`),
    weight: 3,
  },
  {
    arbitrary: fc.constantFrom(
      '?limit=0',
      '?limit=x',
      '?offset=-1',
      '?offset=2147483647',
      '?limit=1&limit=2',
      '?other=1',
    ),
    weight: 1,
  },
)

/** Filters and searches that find something, and those that must not be mistaken for it. */
const traceQuery = fc.oneof(
  query,
  fc
    .constantFrom(
      'status=error',
      'status=ok',
      'status=odd',
      'start_after=2026-11-02',
      'start_before=2026-11-02',
      'user_id=a',
    )
    .map((filter) => `?${filter}`),
  fc
    .constantFrom('session_id', 'service', 'user_id')
    .chain((name) => fc.constantFrom(...TEXTS).map((value) => `?${name}=${encodeURIComponent(value)}`)),
  fc
    .oneof(
      fc.constantFrom(
        ...TEXTS,
        'some text',
        'kind:llm',
        'has:cost',
        'cost:>0.05',
        'tokens:>=7',
        'latency:>0ms',
        'NOT status:ok',
        'model:gpt*',
        'trace:z',
        '(',
        'a OR b',
        'name:a -tag:b',
      ),
      fc
        .tuple(
          fc.constantFrom('name', 'tag', 'input', 'output', 'session', 'model', 'metadata.é'),
          fc.constantFrom(...TEXTS),
        )
        .map(([field, value]) => `${field}:${JSON.stringify(value)}`),
    )
    .map((q) => `?q=${encodeURIComponent(q)}`),
)

function queryOf(declared: Route): fc.Arbitrary<string> {
  if (declared.path === '/traces') return traceQuery
  if (declared.path === '/traces/stats')
    return fc.constantFrom('', '?days_back=1', '?days_back=3650', '?days_back=0', '?days_back=x')
  return declared.paged ? query : fc.constant('')
}

export const command: fc.Arbitrary<Command> = route.chain((declared) =>
  fc.record({
    route: fc.constant(nameOf(declared)),
    ids: idsOf(idSlotsOf(declared)),
    isCrossed: fc.nat(9).map((draw) => draw === 0),
    hasOptionalIds: fc.boolean(),
    body: bodyOf(declared),
    query: queryOf(declared),
    moveMs: fc.constantFrom(0, 0, 1, 7),
    idempotencyKey: fc.oneof(
      { arbitrary: fc.constant(undefined), weight: 9 },
      { arbitrary: fc.constantFrom('k1', 'k2', ''), weight: 1 },
    ),
  }),
)

function idsOf(slots: IdSlot[]): fc.Arbitrary<Record<string, IdChoice>> {
  return fc.record(Object.fromEntries(slots.map(({ name }) => [name, idChoice])))
}

function bodyOf({ body }: Route): fc.Arbitrary<Record<string, unknown> | undefined> {
  if (body === undefined || !('properties' in body)) return fc.constant(undefined)
  const fields = Object.keys(Object(body.properties)).filter((name) => FIELDS[name] !== undefined)
  const required = 'required' in body && Array.isArray(body.required) ? body.required.map(String) : []
  const good = fc.record(Object.fromEntries(fields.map((name) => [name, FIELDS[name] ?? text])), {
    requiredKeys: fields.filter((name) => required.includes(name)),
  })
  const wrong = fc.record(Object.fromEntries([...fields, 'extra'].map((name) => [name, junk])), { requiredKeys: [] })
  const mixed = fc.tuple(good, wrong).map(([right, broken]) => ({ ...right, ...broken }))
  return fc.oneof({ arbitrary: good, weight: 9 }, { arbitrary: mixed, weight: 1 })
}
