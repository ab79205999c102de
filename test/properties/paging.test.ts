// @module-tag sql
/** On every list, pages of any size joined are the whole, in one order, also among rows of the same instant. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { EVALUATOR_DEFINITIONS } from '../../src/evaluators/definitions.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import type { TestApp } from '../harness/test-app.ts'
import { ROUTES } from '../isolation/route-requests.ts'

type Row = Record<string, unknown>

const ROWS_MIN = 20
const ROWS_MAX = 45
/** Comments, comparisons, preferences, the directory, scores, spans and openings of test splits are not newest first: they have tests of their own. */
const lists = ROUTES.filter(
  ({ paged, path }) =>
    paged && !/\/(comments|comparisons|preferences|directory|scores|spans|test-openings)$/.test(path),
)
/** Not a list of things by their age: it explains a trace span by span, and a page of it is so many spans. */
const MAPPING = '/traces/:traceId/mapping'
/** Nor is this: kinds of evaluators, which are not created. */
const EVALUATORS = '/evaluators'

/** Moved by the tests alone. It begins in the past, so that nothing seems to come from the future to the database. */
const hands = {
  time: Date.now() - 3_600_000,
  move(ms: number) {
    this.time += ms
  },
}

describeEachEngine(
  'paging',
  (app) => {
    let session: Client
    let path: (route: string) => string
    const rows = new Map<string, Row[]>()

    beforeAll(async () => {
      const [seed] = fc.sample(fc.integer(), 1)
      console.log(`paging: seed ${seed}`)
      const seeded = await seedLists(app(), seed ?? 0)
      session = seeded.session
      path = (route) => route.replace(/:([A-Za-z]+)/g, (_, name: string) => seeded.ids[name] ?? '')
      for (const route of lists) rows.set(route.path, await walk(session, path(route.path), () => 100))
    })

    describe.each(lists.map((route) => route.path))('GET %s', (route) => {
      function whole(): Row[] {
        return rows.get(route) ?? []
      }

      it.runIf(route === MAPPING)('is in the order of the spans, each span once', async () => {
        expect(whole().length).toBeGreaterThanOrEqual(ROWS_MIN)
        const { body } = await session.get(path(route).replace('/mapping', ''))
        const spans: Row[] = Array.isArray(body.spans) ? body.spans : []
        expect(whole().map(({ id }) => id)).toEqual(spans.map(({ spanId }) => spanId))
        const starts = spans.map(({ startTime }) => String(startTime))
        expect(starts).toEqual(starts.toSorted())
        expect(new Set(starts).size, 'some spans must be of the same instant').toBeLessThan(starts.length)
      })

      it.runIf(route === EVALUATORS)('is in the order of the program, each kind once', () => {
        expect(whole().map(({ type }) => type)).toEqual(EVALUATOR_DEFINITIONS.map(({ type }) => type))
      })

      it.skipIf(route === MAPPING || route === EVALUATORS)(
        'is newest first by createdAt and then by id, each row once',
        () => {
          expect(whole().length).toBeGreaterThanOrEqual(ROWS_MIN)
          const places = whole().map(({ createdAt, id }) => `${createdAt} ${id}`)
          expect(places).toEqual([...new Set(places)].sort().reverse())
          const instants = new Set(whole().map(({ createdAt }) => createdAt))
          expect(instants.size, 'some rows must be of the same instant').toBeLessThan(whole().length)
        },
      )

      it('gives the same rows in pages of any sizes', { tags: 'sized' }, async () => {
        const sizes = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 8 })
        const small = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 })
        await fc.assert(
          fc.asyncProperty(fc.oneof(sizes, small), async (limits) => {
            const joined = await walk(session, path(route), (page) => limits[page % limits.length] ?? 1)
            expect(joined).toEqual(whole())
          }),
          { numRuns: runs(3) },
        )
      })

      it('returns the requested window, and by default the first 50 rows', { tags: 'sized' }, async () => {
        await fc.assert(
          fc.asyncProperty(fc.integer({ min: 1, max: 100 }), fc.nat(ROWS_MAX + 40), async (limit, offset) => {
            const window = await list(session, `${path(route)}?limit=${limit}&offset=${offset}`)
            expect(window).toEqual(whole().slice(offset, offset + limit))
          }),
          { numRuns: runs(4) },
        )
        expect(await list(session, path(route))).toEqual(whole().slice(0, 50))
        expect(await list(session, `${path(route)}?offset=2147483647`)).toEqual([])
      })

      it('has its total, and links from page to page', async () => {
        const seen: Row[] = []
        // Unknown parameters are kept in the links of a route that ignores them.
        const isLenient = lists.some(({ path, ignoresOtherParameters }) => path === route && ignoresOtherParameters)
        const other = isLenient ? 'other=a%20b&' : ''
        let next: string | undefined = `${path(route)}?${other}limit=7`
        while (next !== undefined) {
          const { status, headers } = await session.get(next)
          expect([status, headers.get('x-total-count')]).toEqual([200, String(whole().length)])
          const links = linksOf(headers)
          const offset = seen.length
          seen.push(...(await list(session, next)))
          const at = (start: number) => `/api/v1${path(route)}?${other}limit=7&offset=${start}`
          expect(links).toEqual({
            ...(offset + 7 < whole().length ? { next: at(offset + 7) } : {}),
            ...(offset > 0 ? { prev: at(offset - 7), first: at(0) } : {}),
          })
          next = links.next
        }
        expect(seen).toEqual(whole())
        const { headers } = await session.get(`${path(route)}?limit=100`)
        if (whole().length <= 100) expect(headers.get('link')).toBeNull()
      })
    })

    it('loses no old row while new ones are added at the front', async () => {
      const old = await walk(session, '/components', () => 100)
      const seen = new Map<unknown, Row>()
      for (let offset = 0; ; offset += 7) {
        const page = await session.list(`/components?limit=7&offset=${offset}`)
        if (page.length === 0) break
        for (const row of page) seen.set(row.id, row)
        hands.move(1)
        if (offset < 60) await session.create('/components', { name: 'Later' })
      }
      for (const row of old) expect(seen.get(row.id)).toEqual(row)
    })
  },
  { clock: { now: () => hands.time }, works: false },
)

/** The addresses of the other pages, by their relation. */
function linksOf(headers: Headers): Record<string, string> {
  const links = (headers.get('link') ?? '').split(', ').map((link) => /^<(.+)>; rel="([a-z]+)"$/.exec(link))
  return Object.fromEntries(links.flatMap((match) => (match ? [[match[2], match[1]]] : [])))
}

/** A page of a list; the details of one span are one row. */
async function list(client: Client, path: string): Promise<Row[]> {
  const rows = await client.list(path)
  if (!path.includes('/mapping')) return rows
  return [...Map.groupBy(rows, ({ spanId }) => spanId)].map(([id, entries]) => ({ id, entries }))
}

/** Requests page after page until one is empty. */
async function walk(client: Client, path: string, limitOf: (page: number) => number): Promise<Row[]> {
  const rows: Row[] = []
  for (let page = 0; ; page += 1) {
    const limit = limitOf(page)
    const got = await list(client, `${path}?limit=${limit}&offset=${rows.length}`)
    if (got.length > limit) throw new Error(`${path} gave ${got.length} rows for limit=${limit}`)
    rows.push(...got)
    if (got.length === 0) return rows
  }
}

/** Fills every list, with a clock that often stands still between two rows. */
async function seedLists(app: TestApp, seed: number) {
  const { workspaceId, client } = await app.newWorkspace()
  const session = app.asPerson(await app.newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
  const [sizes = []] = fc.sample(
    fc.array(fc.integer({ min: ROWS_MIN + 2, max: ROWS_MAX }), { minLength: 9, maxLength: 9 }),
    {
      seed,
      numRuns: 1,
    },
  )
  const moves = fc.sample(fc.constantFrom(0, 0, 0, 1, 2), { seed, numRuns: 500 })
  let made = 0

  async function fill(path: string, body: (place: number) => unknown): Promise<string[]> {
    const ids: string[] = []
    for (let place = sizes[made % sizes.length] ?? ROWS_MIN; place > 0; place -= 1) {
      made += 1
      hands.move(moves[made % moves.length] ?? 0)
      ids.push(await session.create(path, body(place)))
    }
    return ids
  }

  const [componentId = ''] = await fill('/components', (place) => ({ name: `c${place}` }))
  const inComponent = `/components/${componentId}`
  const [datasetId = ''] = await fill(`${inComponent}/datasets`, (place) => ({ name: `d${place}`, traceIds: ['t1'] }))
  await fill(`${inComponent}/datasets/${datasetId}/items`, (place) => ({ input: `i${place}` }))
  for (let place = 0; place < ROWS_MIN; place += 1) {
    hands.move(moves[place] ?? 0)
    const file = { body: `input\nimported ${place}\n`, headers: { 'Content-Type': 'text/csv' } }
    await session.send('POST', `${inComponent}/datasets/${datasetId}/import?on_error=skip`, file)
  }
  const runIds = await fill(`${inComponent}/runs`, () => ({ datasetId, traceIds: ['t1'] }))
  const [runId = ''] = runIds
  await fill(`${inComponent}/runs/${runId}/annotations`, (place) => ({ traceDbId: `t${place}` }))
  // One trace is annotated in every run, and outside of them.
  for (const [place, id] of runIds.entries()) {
    hands.move(moves[place] ?? 0)
    await session.create(`${inComponent}/runs/${id}/annotations`, { traceDbId: traceIdOf(0) })
  }
  const traceIds = Array.from({ length: ROWS_MAX }, (_, place) => traceIdOf(place))
  for (const [place, traceId] of traceIds.entries()) {
    hands.move(moves[place] ?? 0)
    // The first one has as many spans as there are traces.
    const spans = traceIds.slice(0, place === 0 ? undefined : 1).map((_, number) => ({
      traceId,
      spanId: spanIdOf(number),
      start: 1_763_199_000_000 + ((number * 7) % 20),
      attributes: { first: number, second: 'x' },
    }))
    await sendSpans(client, spans)
  }
  await session.post(`${inComponent}/runs/${runId}/traces`, { traceIds })
  await session.send('PUT', `/traces/${traceIds[0]}/annotation`, { body: { comment: 'outside' } })
  await fill(`${inComponent}/evaluations`, () => ({ datasetId }))
  const variants = [{ name: 'mine', target: { type: 'worker', queue: 'q' } }]
  await fill(`${inComponent}/trials`, () => ({ datasetId, variants, sample: { n: 1, seed: 1 } }))
  const [promptId = ''] = await fill(`${inComponent}/prompts`, (place) => ({ name: `p${place}` }))
  await fill('/prices', (place) => ({ modelPattern: `m${place}`, inputPerMillion: 1, outputPerMillion: 1 }))
  await fill('/connections', (place) => ({ name: `c${place}`, baseUrl: 'http://127.0.0.1:9' }))
  await session.post(`${inComponent}/prompts/${promptId}/versions`, {
    content: { messages: [{ role: 'user', content: '{{input}}' }], provider: 'models' },
  })
  await session.create('/connections', { name: 'models', baseUrl: 'http://127.0.0.1:9', models: ['m'] })
  const ofExperiments = await session.create(`${inComponent}/datasets`, { name: 'Of experiments' })
  for (const split of ['train', 'validation', 'test'])
    await session.post(`${inComponent}/datasets/${ofExperiments}/items`, { input: split, split })
  await fill(`${inComponent}/experiments`, () => ({
    datasetId: ofExperiments,
    prompt: { promptId, version: 1 },
    evaluators: [{ type: 'exactMatch' }],
    allowTooFew: true,
  }))
  await fill('/endpoints', (place) => ({ name: `e${place}`, baseUrl: 'http://127.0.0.1:9' }))
  await fill('/api-keys', (place) => ({ name: `k${place}` }))
  await fill('/views', (place) => ({ name: `v${place}`, query: '', columns: [] }))
  await fill('/members', (place) => ({ email: `m${place}@example.com`, role: 'viewer' }))
  await fill('/workspaces', (place) => ({ name: `w${place}` }))
  // Another run on the same traces: its annotation is among the dataset's by its item, and only once.
  const other = await session.create(`${inComponent}/datasets`, { name: 'Other' })
  const otherRun = await session.create(`${inComponent}/runs`, { datasetId: other })
  await session.create(`${inComponent}/runs/${otherRun}/annotations`, { traceDbId: 't1' })
  const ids: Record<string, string> = { componentId, datasetId, runId, traceId: traceIds[0] ?? '' }
  return { session, ids }
}
