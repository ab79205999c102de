/** Workspace B has a marker in every text. Workspace A sends every request, with every id of B: no byte of B may be returned. */
import { beforeAll, expect, it } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { spanIdOf } from '../harness/otlp-json.ts'
import { isDeep } from '../harness/stage.ts'
import { type Ids, idSlotsOf, ownAnswerOf, ROUTES, requestOf } from './route-requests.ts'
import { SHARED_TRACE, seedTenant, senderIdOf, type Tenant } from './seed-tree.ts'

const MARK_A = 'hers-77aa01'
const MARK_B = 'his-31bb02'

/** What the crawl of B by itself must find: without it, a crawl that finds nothing would prove nothing. */
const MARKED_TEXTS = [
  'workspace',
  'of the workspace',
  'component',
  'description',
  'dataset',
  'run',
  'trace',
  'input',
  'output',
  'expected',
  'rating',
  'comment',
  'evaluation',
  'evaluator',
  'model',
  'key',
  'span',
  'question',
  'answer',
  'session',
  'user',
  'tag',
  'attribute',
  'value',
  'failure',
  'event',
  'detail',
  'service',
  'environment',
  'native trace',
  'native input',
  'native session',
  'native span',
  'field',
  'connection',
  'judge',
  'view',
  'query',
  'column',
  'decision',
]

/** The addresses that all applications share are read by admins of all of them, and no owner here is. */
const SHARED_BY_ALL = '/instance/allowed-targets'

const reads = ROUTES.filter(
  ({ method, path, access }) => method === 'GET' && access.auth !== 'none' && path !== SHARED_BY_ALL,
)

describeEachEngine('a crawl', (app) => {
  let a: Tenant
  let b: Tenant

  beforeAll(async () => {
    a = await seedTenant(app(), MARK_A)
    b = await seedTenant(app(), MARK_B)
  })

  it('of B by its owner finds every marked text', async () => {
    const seen = (await crawl(b.session, b.ids)).map(({ text }) => text).join('\n')
    for (const text of MARKED_TEXTS) expect(seen).toContain(`${MARK_B} ${text}`)
    expect(seen).toContain(`${MARK_B}-${b.ids.componentId}@example.com`)
    expect(seen).not.toContain(MARK_A)
  })

  it('of B by A’s key finds no byte of B, with any id of B in any place', { tags: 'sized' }, async () => {
    const foreign = { ...b.ids, traceOfSender: senderIdOf(b.ids) }
    for (const answer of await crawl(a.key, a.ids, foreign)) expectNothingOf(MARK_B, answer)
  })

  it('of A by its owner finds no byte of B, although both have the same trace', async () => {
    for (const answer of await crawl(a.session, a.ids)) {
      expect(answer.status).toBe(answer.expected)
      expectNothingOf(MARK_B, answer)
    }
    const ofDataset = `/components/${a.ids.componentId}/datasets/${a.ids.datasetId}/annotations`
    expect((await a.key.get(ofDataset)).text).toContain(SHARED_TRACE)
  })

  it('of the log of A finds nothing that was done in B', async () => {
    const ofA = await a.session.list('/audit-log?limit=100')
    const ofB = await b.session.list('/audit-log?limit=100')
    const idsOfB = new Set(ofB.map(({ id }) => id))
    expect(ofA.filter(({ id }) => idsOfB.has(id))).toEqual([])
    expect(ofB.length).toBeGreaterThan(0)
    expect(JSON.stringify(ofA)).not.toContain(b.owner.userId)
  })

  it('of the workspaces of a person finds only those the person is in', async () => {
    for (const path of ['/workspaces', '/ai-applications']) {
      expect((await a.session.list(path)).map(({ id }) => id)).toEqual([a.workspaceId])
    }
  })
})

type Crawled = Answer & { expected: number }

/** Sends every GET with the caller's ids, and with the ids of the other workspace in every place, alone and together. */
async function crawl(client: Client, own: Ids, foreign?: Ids): Promise<Crawled[]> {
  const answers: Crawled[] = []
  for (const [place, route] of reads.entries()) {
    const slots = idSlotsOf(route).map(({ name }) => name)
    const variants = foreign && slots.length > 0 ? [own, ...mixed(slots, own, { foreign, place })] : [own]
    if (slots.includes('traceId')) variants.push({ ...own, traceId: SHARED_TRACE, spanId: spanIdOf(1) })
    for (const ids of variants) {
      const { method, path } = requestOf(route, ids)
      answers.push({ ...(await client.send(method, path)), expected: ownAnswerOf(route) })
    }
  }
  return answers
}

/** Ids of another kind are also tried: that of a dataset where a run is expected. Each route has a quarter of them, the next one another; in the deep stage all. */
function mixed(slots: string[], own: Ids, { foreign, place }: { foreign: Ids; place: number }): Ids[] {
  const otherKinds = Object.values(foreign).filter((_, kind) => isDeep || kind % 4 === place % 4)
  const alone = slots.flatMap((slot) => [foreign[slot] ?? '', ...otherKinds].map((id) => ({ ...own, [slot]: id })))
  const allButOne = slots.map((slot) => ({ ...foreign, [slot]: own[slot] ?? '' }))
  return [foreign, ...alone, ...allButOne]
}

function expectNothingOf(mark: string, { text, headers }: Answer): void {
  expect(text).not.toContain(mark)
  expect(JSON.stringify([...headers])).not.toContain(mark)
}
