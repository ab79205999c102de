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
import { insertWorld } from './insert-world.ts'
import { expectedIds, latestFirst } from './query-oracle.ts'
import { FIRST_NS, HOUR_NS, makeWorld, SEED } from './query-world.ts'
import { anyTerm, COMPONENT, fields, NOW, query, quoted, summedFields, world } from './random-queries.ts'

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
