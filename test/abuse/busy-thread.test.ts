/**
 * No request keeps the main thread from others: hostile bodies and queries at every route, and the processor time of the main thread
 * between two turns of the event loop. It is compared with that of a fixed amount of work around the same moment, because neither a slow
 * nor a busy machine must fail the test.
 */
import { connect } from 'node:net'
import { beforeAll, expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { collectGarbage } from '../harness/collect-garbage.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type Ids, nameOf, ROUTES, requestOf } from '../isolation/route-requests.ts'
import { type RequestMessage, requestOf as request, requestType, spanMessage, toJson } from '../otlp/otlp-messages.ts'
import { head } from './hostile-sockets.ts'
import { cpuMs, median, REFERENCE_MS, referenceMs } from './processor-time.ts'

/**
 * Compiling code, collecting garbage and what other processes evict from the caches count as well, so the least of several counts. A
 * request that needs too much does so in each of them.
 */
const ATTEMPTS = 15
const LIMIT_MS = 50

/** The longest time of the processor between two turns of the event loop until the work ends. */
async function busyMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isOver = false
  let last = process.threadCpuUsage()
  const turn = () => {
    longest = Math.max(longest, cpuMs(last))
    last = process.threadCpuUsage()
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  await work()
  isOver = true
  return longest
}

/** On a connection of its own, without any work for the response but its status. */
function send(url: string, bytes: readonly Buffer[]): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let first = ''
    socket.on('data', (chunk) => {
      if (first === '') first = chunk.toString('latin1', 0, 12)
    })
    socket.on('close', () => resolve(Number(first.slice(9))))
    socket.on('error', (error) => (first === '' ? reject(error) : undefined))
    for (const part of bytes) socket.write(part)
  })
}

const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`name${place}`, 1]))
/** Just below the limit of the fields of a body, and as large as a body may be. */
const FIELDS = names(9_900)
const HOSTILE_VALUES: Record<string, unknown> = {
  'many fields': FIELDS,
  'a long text': 'ab '.repeat(300_000),
  'a long list of numbers': Array<number>(99_000).fill(1),
  'a long list of texts': Array<string>(99_000).fill('ab'),
  'a long list of objects': Array<object>(19_900).fill({}),
}

function* hostileSpans(): Generator<[what: string, request: RequestMessage]> {
  const texts = (count: number, text = 'a text') =>
    Array.from({ length: count }, (_, place) => ({ key: `name${place}`, value: { stringValue: text } }))
  const nowhere = { traceId: Buffer.alloc(0) }
  // Without ids they are read, but not stored.
  const idless = Array.from({ length: 9_000 }, () =>
    spanMessage({ ...nowhere, attributes: texts(20, 'a text '.repeat(5)) }),
  )
  yield ['many spans', request(...idless)]
  yield [
    'many attributes',
    request(...Array.from({ length: 100 }, () => spanMessage({ ...nowhere, attributes: texts(1_000) }))),
  ]
  yield ['a long text', request(spanMessage({ attributes: texts(1, 'ab '.repeat(6_000_000)) }))]
  yield ['a long text of two bytes', request(spanMessage({ attributes: texts(1, 'é '.repeat(6_000_000)) }))]
  yield ['a long text of escapes', request(spanMessage({ attributes: texts(1, '\u0001'.repeat(3_000_000)) }))]
  yield ['a long name', request(spanMessage({ name: 'ab '.repeat(6_000_000) }))]
  yield [
    'a long name of an attribute',
    request(spanMessage({ attributes: [{ key: 'ab '.repeat(6_000_000), value: {} }] })),
  ]
  yield ['a long id', request(spanMessage({ parentSpanId: Buffer.alloc(9_000_000) }))]
  const value = { kvlistValue: { values: texts(100_000) } }
  yield ['a map with many names', request(spanMessage({ attributes: [{ key: 'map', value }] }))]
  const list = { arrayValue: { values: Array.from({ length: 100_000 }, () => ({ stringValue: 'a' })) } }
  yield ['a long list', request(spanMessage({ attributes: [{ key: 'input.value', value: list }] }))]
  const event = { timeUnixNano: 1n, name: 'gen_ai.choice', attributes: texts(5) }
  yield ['many events', request(spanMessage({ events: Array.from({ length: 10_000 }, () => event) }))]
}

function bodiesOf({ body, upload }: Route, sample: unknown): Map<string, string> {
  const bodies = new Map<string, string>()
  if (upload) {
    const rows = `${JSON.stringify({ input: FIELDS })}\n`
    bodies.set('rows with many fields', rows.repeat(8))
    bodies.set('a row with more fields than are allowed', JSON.stringify({ input: names(400_000) }))
    bodies.set('a row with many columns', JSON.stringify(FIELDS))
    return bodies
  }
  if (!body) return bodies
  bodies.set('more fields than are allowed', JSON.stringify(names(60_000)))
  bodies.set('more values than are allowed', JSON.stringify(Array<number>(500_000).fill(1)))
  bodies.set('many unknown fields', JSON.stringify({ ...Object(sample), ...FIELDS }))
  for (const [what, value] of Object.entries(HOSTILE_VALUES))
    for (const field of Object.keys(Object(Object(body).properties)))
      bodies.set(`${what} as ${field}`, JSON.stringify({ ...Object(sample), [field]: value }))
  return bodies
}

const HOSTILE_TEXTS = [
  '('.repeat(7_000),
  'a OR '.repeat(1_400),
  Buffer.from('['.repeat(5_000)).toString('base64url'),
  '9'.repeat(7_000),
]

function queriesOf({ query, paged }: Route): string[] {
  const known = [...Object.keys(Object(query?.properties)), ...(paged ? ['limit', 'offset'] : [])]
  const many = Array.from({ length: 1_500 }, (_, place) => `p${place}=1`).join('&')
  return [many, ...known.flatMap((name) => HOSTILE_TEXTS.map((text) => `${name}=${encodeURIComponent(text)}`))].filter(
    (one) => one.length < 15_000,
  )
}

describeEachEngine(
  'the main thread',
  (app, engine) => {
    let ids: Ids = {}
    let authorization = ''

    beforeAll(async () => {
      const { client, key, workspaceId } = await app().newWorkspace()
      authorization = `Authorization: Bearer ${key}`
      const componentId = await client.create('/components', { name: 'Target' })
      const below = `/components/${componentId}`
      const datasetId = await client.create(`${below}/datasets`, { name: 'Set', traceIds: ['t'] })
      const runId = await client.create(`${below}/runs`, { datasetId })
      ids = new Proxy(
        { workspaceId, componentId, datasetId, runId, baseline: runId, candidate: runId },
        {
          get: (known: Ids, name) => known[String(name)] ?? '01890a5d-ac96-774b-bcce-b302099a8057',
        },
      )
    })

    async function worst(route: Route): Promise<Record<string, number>> {
      const { method, path, body, headers = {} } = requestOf(route, ids)
      const type = route.upload ? 'application/jsonl' : (headers['content-type'] ?? 'application/json')
      const requests = new Map<string, Buffer[]>()
      for (const [what, text] of bodiesOf(route, body))
        requests.set(what, requestTo(`${method} /api/v1${path}`, { body: text, headers: [`Content-Type: ${type}`] }))
      if (method === 'GET')
        for (const query of queriesOf(route))
          requests.set(query.slice(0, 40), requestTo(`GET /api/v1${path}${path.includes('?') ? '&' : '?'}${query}`))
      return tooLong(requests)
    }

    function requestTo(target: string, { body, headers = [] }: { body?: string | Buffer; headers?: string[] } = {}) {
      const common = [`${target} HTTP/1.1`, 'Host: localhost', authorization, 'Connection: close', ...headers]
      if (body === undefined) return [Buffer.from(head(common))]
      const bytes = Buffer.from(body)
      return [Buffer.from(head([...common, `Content-Length: ${bytes.length}`])), bytes]
    }

    /** The requests that need more than the limit, with their milliseconds on a machine of 2024. */
    async function tooLong(requests: ReadonlyMap<string, Buffer[]>): Promise<Record<string, number>> {
      const references = [referenceMs(), referenceMs(), referenceMs()]
      const found: Record<string, number> = {}
      for (const [what, bytes] of requests) {
        let least = Number.POSITIVE_INFINITY
        const needed = () => (least / median(references)) * REFERENCE_MS
        for (let attempt = 0; attempt < ATTEMPTS && needed() > LIMIT_MS; attempt += 1) {
          if (attempt > 0) collectGarbage()
          least = Math.min(least, await busyMs(() => send(app().url, bytes)))
          if (needed() > LIMIT_MS) references.push(referenceMs())
        }
        if (needed() > LIMIT_MS) found[what] = Math.round(needed())
      }
      return found
    }

    const routes = ROUTES.filter(({ streams }) => !streams?.includes('text/event-stream'))

    // Requests are parsed and checked in the same way whichever engine stores them.
    const measured = engine === 'sqlite' ? routes : []
    it.each(measured.map((route) => [nameOf(route), route] as const))(
      'is busy for less than 50 ms between two turns of the event loop: %s',
      { tags: 'deep' },
      async (_, route) => {
        expect(await worst(route)).toEqual({})
      },
    )

    it('is busy for less than 50 ms between two turns for spans, tools, files and keys', { tags: 'deep' }, async () => {
      const requests = new Map<string, Buffer[]>()
      for (const [what, spans] of hostileSpans()) {
        const [json, protobuf] = [toJson(spans), requestType.encode(spans)]
        const headers = (format: string) => [`Content-Type: application/${format}`]
        requests.set(`${what}, JSON`, requestTo('POST /v1/traces', { body: json, headers: headers('json') }))
        requests.set(
          `${what}, protobuf`,
          requestTo('POST /v1/traces', { body: protobuf, headers: headers('x-protobuf') }),
        )
      }
      const json = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']
      for (const [what, value] of Object.entries(HOSTILE_VALUES)) {
        const call = { name: 'list_components', arguments: { value } }
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
        requests.set(`${what} for a tool`, requestTo('POST /mcp', { body, headers: json }))
      }
      const cells = `${'"a,b",'.repeat(9_000)}c\n`
      const file = `/api/v1/components/${ids['componentId']}/datasets/${ids['datasetId']}`
      const columns = `input,${Object.keys(FIELDS).join(',')}\n`
      for (const [what, body] of [
        ['many cells', `input\n${cells.repeat(100)}`],
        ['many columns', `${columns}${'1,'.repeat(9_900)}1\n`.repeat(20)],
        ['an open quotation', `input\n"${'a""'.repeat(1_000_000)}`],
      ] as const)
        for (const path of ['import', 'import/bad-rows'])
          requests.set(
            `CSV with ${what}: ${path}`,
            requestTo(`POST ${file}/${path}`, { body, headers: ['Content-Type: text/csv'] }),
          )
      for (const key of ['k'.repeat(15_000), '"'.repeat(15_000)]) {
        const named = { body: '{"name":"Once"}', headers: [...json, `Idempotency-Key: ${key}`] }
        requests.set(`a key of ${key[0]}`, requestTo('POST /api/v1/components', named))
      }
      expect(await tooLong(requests)).toEqual({})
    })

    it('is busy for less than 50 ms between two turns, for one route of each kind', async () => {
      for (const name of ['POST /components', 'PATCH /components/:componentId/datasets/:datasetId/items/:itemId']) {
        const route = routes.find((one) => nameOf(one) === name)
        expect(route && (await worst(route)), name).toEqual({})
      }
    })

    it('rejects a body with too many fields or values before it is parsed, and names the limit', async () => {
      const { client } = await app().newWorkspace()
      for (const [body, limit] of [
        [names(10_001), '10000 fields'],
        [Array<number>(100_001).fill(1), '100000 values'],
      ] as const)
        expect(
          (
            await client.send('POST', '/api/v1/components', {
              body: JSON.stringify(body),
              headers: { 'content-type': 'application/json' },
            })
          ).body,
        ).toEqual({
          error: `The request body has more than ${limit}`,
        })
    })
  },
  { environment: { TOUCHSTONE_REQUESTS_PER_SECOND: '100000' } },
)
