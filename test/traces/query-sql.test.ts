// @module-tag sql
import fc from 'fast-check'
import { CompiledQuery } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { NIL_ID } from '../../src/base/ids.ts'
import type { Queries } from '../../src/storage/db.ts'
import { plainFilter } from '../../src/traces/query/plain-filter.ts'
import { tracesByStart } from '../../src/traces/start-order-queries.ts'
import { readTraceFilter, type TraceFilter } from '../../src/traces/trace-filter.ts'
import {
  chooseScan,
  countTraces,
  filteredTraces,
  listTraces,
  newestTraces,
  planSearch,
  type ScanOrder,
} from '../../src/traces/trace-list-queries.ts'
import { runs } from '../harness/stage.ts'
import { describeEachStorage } from '../harness/test-storage.ts'
import { expectedIds, latestFirst } from './query-oracle.ts'
import {
  ATTRIBUTES,
  ENVIRONMENTS,
  FIRST_NS,
  HOUR_NS,
  insertWorld,
  MODELS,
  makeWorld,
  NAMES,
  PEOPLE,
  PROMPTS,
  RATINGS,
  SEED,
  SERVICES,
  TAGS,
  TEXTS,
} from './query-world.ts'

const NOW = Number(FIRST_NS / 1_000_000n) + 8 * 3_600_000
const world = makeWorld(90)
const neighbour = makeWorld(20, SEED + 1)

describeEachStorage('the query language in SQL', (storage, engine) => {
  beforeAll(async () => {
    await storage().transaction((tx) => insertWorld(tx, world))
    await storage().transaction((tx) => insertWorld(tx, neighbour))
  })

  async function idsOf(filter: TraceFilter): Promise<string[]> {
    const rows = await newestTraces(storage().read, world.workspaceId, filter).select('t.id').execute()
    return rows.map(({ id }) => id)
  }

  async function countOf(filter: TraceFilter) {
    return countTraces(storage().read, world.workspaceId, await planSearch(storage().read, world.workspaceId, filter))
  }

  async function expectSame(filter: TraceFilter): Promise<string[]> {
    const { read } = storage()
    const expected = expectedIds(world, filter)
    expect(await idsOf(filter)).toEqual(expected)
    expect(await countOf(filter)).toEqual({ total: expected.length, isExact: true })
    const byStart = await tracesByStart(read, world.workspaceId, plainFilter(filter))
    expect((await byStart.select('t.id').execute()).map(({ id }) => id)).toEqual(latestFirst(world, expected))
    const page = await listTraces(read, { workspaceId: world.workspaceId, filter, limit: 5, offset: 1 })
    expect(page.map(({ id }) => id)).toEqual(expected.slice(1, 6))
    const unordered = await filteredTraces(read, world.workspaceId, filter).select('t.id').execute()
    expect(unordered.map(({ id }) => id).sort()).toEqual(expected.toSorted())
    return expected
  }

  it.each(EXAMPLES)('finds for %s the same as a plain filter, and at least one', async (q) => {
    const found = await expectSame(readTraceFilter({ q }, NOW))
    expect(found.length, 'an example that finds nothing proves nothing').toBeGreaterThan(0)
  })

  it('finds for any query and any parameters exactly the same as a plain filter', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(query, fields, async (q, own) => {
        await expectSame({ ...own, ...readTraceFilter({ q }, NOW) })
      }),
      { numRuns: runs(250), seed: SEED },
    )
  })

  it('excludes exactly the traces that it includes without the minus', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(anyTerm, async (q) => {
        const all = await idsOf({})
        const [included, excluded] = [
          await idsOf(readTraceFilter({ q }, NOW)),
          await idsOf(readTraceFilter({ q: `NOT (${q})` }, NOW)),
        ]
        expect([...included, ...excluded].sort()).toEqual(all.toSorted())
      }),
      { numRuns: runs(60), seed: SEED },
    )
  })

  it('runs every query that can be parsed: none makes the database fail', { tags: 'sized' }, async () => {
    const odd = fc.oneof(
      fc.constantFrom(
        'cost:>1e308',
        'cost:>-1e308',
        'tokens:>1e300',
        'latency:<999999999999999h',
        'start:>-999999999w',
        'start:[0000-01-01 TO 9999-12-31]',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc
        .tuple(
          fc.constantFrom('input:', 'model:', 'metadata.a:', 'id:', 'component:', ''),
          fc.string({ unit: 'binary', maxLength: 8 }),
        )
        .map(([field, text]) => field + quoted(text)),
    )
    await fc.assert(
      fc.asyncProperty(odd, async (q) => {
        let filter: TraceFilter
        try {
          filter = readTraceFilter({ q }, NOW)
        } catch {
          // A rejection is valid, too; the tests of the language check that it is a 400.
          return
        }
        await idsOf(filter)
        await countOf(filter)
      }),
      { numRuns: runs(150), seed: SEED },
    )
  })

  it('counts by whole hours and their remainders the same as one by one', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(summedFields, async (filter) => {
        const { total } = await countOf(filter)
        expect(total).toBe(expectedIds(world, filter).length)
      }),
      { numRuns: runs(120), seed: SEED },
    )
  })

  it('shows nothing for a component that was deleted, that never was, or that is another workspace’s', async () => {
    const foreign = neighbour.components[0]?.id
    for (const componentId of [world.components[2]?.id ?? '', foreign ?? '', NIL_ID]) {
      expect(await idsOf({ componentId })).toEqual([])
      expect(await countOf({ componentId })).toEqual({ total: 0, isExact: true })
    }
  })

  it('lists a page newest first, with the component while it is there', async () => {
    const filter = readTraceFilter({ q: 'kind:llm' }, NOW)
    const rows = await listTraces(storage().read, { workspaceId: world.workspaceId, filter, limit: 7, offset: 3 })
    expect(rows.map(({ id }) => id)).toEqual(expectedIds(world, filter).slice(3, 10))
    const byId = new Map(world.traces.map((trace) => [trace.id, trace]))
    for (const row of rows) {
      const component = world.components[byId.get(row.id)?.component ?? 9]
      expect(row.componentName).toBe(component && !component.isDeleted ? component.name : null)
    }
  })

  // The other engine has statistics of the number of rows, and chooses by them.
  if (engine !== 'sqlite') return

  it.each(WALKED)('walks along an index, without sorting, for %j', async (parameters, index) => {
    const plan = await planOf(storage().read, readTraceFilter(parameters, NOW), 'by id')
    expect(plan.join('\n')).toContain(index)
    expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step))).toEqual([])
  })

  it('finds and sorts traces of a short time long ago, and scans past later ones if these are fewer', async () => {
    const { read } = storage()
    const { workspaceId } = world
    const first = (FIRST_NS / HOUR_NS) * HOUR_NS
    const early = { startBefore: first + HOUR_NS }
    const late = { startBefore: first + 6n * HOUR_NS }
    expect(await chooseScan(read, workspaceId, plainFilter(early))).toBe('by start')
    expect(await chooseScan(read, workspaceId, plainFilter(late))).toBe('by id')
    // Few traces began since then, and a scan by id would read all others when they do not fill a page.
    expect(await chooseScan(read, workspaceId, plainFilter({ startAfter: first }))).toBe('by start')
    expect(await chooseScan(read, workspaceId, plainFilter({}))).toBe('by id')
    expect(await chooseScan(read, workspaceId, plainFilter(early), 'asc')).toBe('by id')
    expect(await chooseScan(read, workspaceId, plainFilter({ ...early, sessionId: 'u-1' }))).toBe('by id')
    expect((await planOf(read, early, 'by start')).join('\n')).toMatch(/traces_by_start.*TEMP B-TREE FOR ORDER BY/s)
  })
})

const COMPONENT = world.components[0]?.id ?? ''
const LIVING = world.traces.find(({ isDeleted }) => !isDeleted)
const FACET_KEY = 'SEARCH f USING PRIMARY KEY (workspace_id=? AND facet=? AND value=?)'

const WALKED = [
  [{}, 'SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=?)'],
  [{ start_after: '2025-11-01' }, 'SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=?)'],
  [{ q: 'start:>-30d latency:>1' }, 'SEARCH t USING INDEX sqlite_autoindex_traces_1 (workspace_id=?)'],
  [{ status: 'error' }, 'SEARCH t USING INDEX traces_failed (workspace_id=?)'],
  [{ q: 'status:error start:>-30d' }, 'SEARCH t USING INDEX traces_failed (workspace_id=?)'],
  [{ component_id: COMPONENT }, 'SEARCH t USING INDEX traces_of_component (workspace_id=? AND component_id=?)'],
  [{ component_id: COMPONENT, status: 'error', environment: 'production' }, 'traces_of_component'],
  [{ service: 'search' }, FACET_KEY],
  [{ session_id: 's', user_id: 'u', component_id: COMPONENT }, FACET_KEY],
  [{ q: 'model:gpt-4o' }, FACET_KEY],
  [{ q: 'tag:beta status:error latency:>1 start:>-30d' }, FACET_KEY],
  [{ q: '(kind:tool provider:openai) -name:chat cost:>1' }, FACET_KEY],
] as const

const EXAMPLES = [
  '*',
  'refund',
  'REFUND',
  '"50%"',
  'a_b',
  '"C:\\\\temp"',
  'Ärger',
  '🧪',
  're*nd',
  'a?b',
  '"say \\"hi\\""',
  "it's",
  'status:error',
  'kind:tool -kind:llm',
  'name:chat',
  'name:CHAT*',
  'model:openai/gpt-4o',
  `model:${'m'.repeat(310)}`,
  'model:?p?-4O',
  'model:*',
  '-model:*',
  'latency:>2s',
  'latency:[0 TO 500ms}',
  '-latency:*',
  'cost:0.25',
  'cost:{0 TO 1}',
  'tokens:>=4.5',
  '-tokens:>4',
  'input:refund output:REFUND*icy',
  'input:*',
  'tag:beta OR tag:"a b"',
  'prompt:answer@12',
  'prompt:answer*',
  '-prompt:*',
  `prompt:${'p'.repeat(310)}@1`,
  'source:run',
  'source:production prompt:rewrite@3',
  'source:trial OR source:playground',
  '-source:production',
  'user:jane@example.com',
  'session:*example*',
  'service:checkout environment:production',
  'service:CHECK* -service:checkout',
  'component:"support bot"',
  'component:support%bot',
  `component:${COMPONENT.toUpperCase()}`,
  'component:sup*',
  '-component:*',
  'rating:down',
  'rating:*',
  'score.correctness:<0.5',
  '"score.tone of voice":[0.5 TO 1]',
  'metadata.env:prod',
  'metadata.env:5',
  'metadata.env:"5"',
  'metadata.env:>0.1',
  'metadata.env:>1e20',
  'metadata.deployment.environment:true',
  'metadata.env:*a*b*',
  'metadata.__proto__:*',
  '"metadata.odd \\"key\\" \\\\ ä":*',
  'metadata.llm.prompt:refund',
  'has:annotation',
  'has:error -status:error',
  'has:input -has:output',
  'has:cost',
  `id:${LIVING?.id.toUpperCase()}`,
  `trace:${LIVING?.traceId}`,
  `id:${LIVING?.traceId.slice(0, 10)}*`,
  'start:>=-5h',
  'start:2025-11-14',
  'NOT (status:ok OR kind:llm)',
  'start:<-4h OR start:>-3h',
]

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

const anyTerm = fc.oneof(
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

const { query } = fc.letrec<{ query: string; group: string }>((tie) => ({
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
const summedFields: fc.Arbitrary<TraceFilter> = fc.record(
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
const fields: fc.Arbitrary<TraceFilter> = fc.oneof(
  { arbitrary: fc.constant({}), weight: 2 },
  { arbitrary: summedFields, weight: 1 },
  {
    arbitrary: fc.record({ sessionId: pick(PEOPLE), userId: pick(PEOPLE), startAfter: moment }, { requiredKeys: [] }),
    weight: 1,
  },
)

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

async function planOf(q: Queries, filter: TraceFilter, walk: ScanOrder): Promise<string[]> {
  const { sql, parameters } = newestTraces(q, world.workspaceId, filter, { walk })
    .select('t.id')
    .limit(50)
    .offset(0)
    .compile()
  const { rows } = await q.executeQuery<{ detail: string }>(
    CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
  )
  return rows.map(({ detail }) => detail)
}
