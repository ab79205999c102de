/** Section I of the list of bad input: evaluations. Model evaluators (rows 121 and 122) do not exist yet. */
import { describe, expect, it } from 'vitest'
import { insertEvaluation } from '../../src/evaluations/evaluation-queries.ts'
import { ABSENT_ID, expectError, NEW_ID } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'

async function seedRatedRun(client: Client) {
  const component = await client.create('/components', { name: 'a' })
  const below = `/components/${component}`
  const datasetId = await client.create(`${below}/datasets`, { name: 'a', traceIds: ['t'] })
  const runId = await client.create(`${below}/runs`, { datasetId, traceIds: ['t'] })
  await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: 't', rating: 'positive' })
  return { component, below, datasetId, runId, at: `${below}/evaluations` }
}

const nested = (depth: number): unknown => (depth === 1 ? {} : { a: nested(depth - 1) })

describeEachEngine('I. Evaluations', (app) => {
  async function seed() {
    const { client, workspaceId } = await app().newWorkspace()
    return { client, workspaceId, ...(await seedRatedRun(client)) }
  }

  it('113: a valid one is 202 and pending', async () => {
    const { client, datasetId, runId, at } = await seed()
    const { status, body } = await client.post(at, { datasetId, runId })
    expect({ status, body }).toEqual({ status: 202, body: { id: NEW_ID, name: null, status: 'pending' } })
  })

  it.each([
    ['114', { config: [] }, /config/],
    ['114', { config: 'x' }, /config/],
    ['114', { config: null }, /config/],
    ['114', { config: 5 }, /config/],
    ['115', { config: { a: 'x'.repeat(65 * 1_024) } }, /config/],
    ['115', { config: nested(33) }, /config/],
    ['103', { name: null }, /name/],
    ['101', { runId: null }, /runId/],
    ['101', { runId: 'x' }, /runId/],
    ['101', { datasetId: 'x' }, /datasetId/],
    ['68', { status: 'completed' }, /status/],
  ])('%s: an invalid evaluation is 400, names the field, and starts nothing', async (_, wrong, message) => {
    const { client, datasetId, at } = await seed()
    expectError(await client.post(at, { datasetId, ...wrong }), 400, message)
    expect(await client.list(at)).toEqual([])
  })

  it('115: a config of 32 levels, and one of nearly 64 KiB, are 202 and kept', async () => {
    const { client, datasetId, at } = await seed()
    for (const config of [nested(32), { a: 'x'.repeat(64 * 1_024 - 8) }]) {
      const { status, body } = await client.post(at, { datasetId, config })
      expect(status).toBe(202)
      expect((await client.get(`${at}/${body.id}`)).body.config).toEqual(config)
    }
  })

  it('78, 83: any key and any double in config is stored as JSON.parse returns it', async () => {
    const { client, datasetId, at } = await seed()
    const config =
      '{"constructor":{"prototype":{}},"toString":1,"a":12345678901234567890,"b":0.1,"c":-0,"d":5e-324,"":"","é":null}'
    const { status, body } = await client.post(at, `{"datasetId":"${datasetId}","config":${config}}`)
    expect(status).toBe(202)
    const { text } = await client.get(`${at}/${body.id}`)
    expect(Object(JSON.parse(text)).config).toEqual({ ...JSON.parse(config), c: 0 })
    expectError(
      await client.post(at, `{"datasetId":"${datasetId}","constructor":{"prototype":{}}}`),
      400,
      /constructor/,
    )
  })

  it('116: a run of another dataset is 400; one of another component or workspace is 404, like a missing one', async () => {
    const { client, below, runId, datasetId, at } = await seed()
    const other = await client.create(`${below}/datasets`, { name: 'other' })
    const sibling = await seedRatedRun(client)
    const foreign = await seed()
    expectError(await client.post(at, { datasetId: other, runId }), 400, /run does not belong to the dataset/)
    for (const id of [sibling.runId, foreign.runId, ABSENT_ID])
      expectError(await client.post(at, { datasetId, runId: id }), 404, 'Run not found')
    expect(await client.list(at)).toEqual([])
  })

  const URLS = [
    ...['http://169.254.169.254/', 'http://127.1', 'http://0x7f.1', 'http://2130706433', 'http://[::ffff:7f00:1]'],
    ...['http://①②⑦.⓪.⓪.①', 'http://localhost.', 'http://user:p@h', 'file:///etc/passwd', 'gopher://x'],
    'http://[64:ff9b::7f00:1]',
  ]
  const PATTERNS = ['(a+)+$', '(x{0,100}){0,100}', 'a'.repeat(10_240), '(?<=a)b', '(a)\\1', '(', '[']

  it.each([
    ...URLS.map((url) => ({ row: 117, evaluator: { type: 'llmJudge', instructions: 'x', model: 'm', baseUrl: url } })),
    ...PATTERNS.map((pattern) => ({ row: 118, evaluator: { type: 'regex', pattern } })),
  ])('$row: the evaluator $evaluator is accepted and ends with a message', async ({ evaluator }) => {
    const { client, datasetId, runId, at } = await seed()
    const config = { evaluators: [evaluator] }
    const { status, body } = await client.post(at, { datasetId, runId, config })
    expect(status).toBe(202)
    const evaluation = await until(async () => {
      const { body: now } = await client.get(`${at}/${body.id}`)
      expect(now.status).toBe('failed')
      return now
    })
    expect(evaluation).toMatchObject({ config, results: null, error: expect.stringMatching(/^\S.* .*\p{L}/u) })
  })

  it('120: the same Idempotency-Key returns the stored 202; with another body 422', async () => {
    const { client, datasetId, at } = await seed()
    const key = { 'idempotency-key': 'evaluation' }
    const first = await client.post(at, { datasetId }, key)
    const second = await client.post(at, { datasetId }, key)
    expect([first.status, second.status]).toEqual([202, 202])
    expect(second.text).toBe(first.text)
    expectError(await client.post(at, { datasetId, name: 'other' }, key), 422)
    expect(await client.list(at)).toHaveLength(1)
  })
})

describe('I. the queue of evaluations', () => {
  describeEachEngine(
    'a server without workers',
    (app) => {
      it('119: evaluations are 202 up to the limit of a workspace and then 429, without hurting another workspace', async () => {
        const { client, workspaceId } = await app().newWorkspace()
        const { component: componentId, datasetId, at } = await seedRatedRun(client)
        await app().storage.transaction(async (tx) => {
          for (let place = 0; place < 999; place += 1) {
            const id = `01890a5d-ac96-774b-bcce-${String(place).padStart(12, '0')}`
            const waiting = { runId: null, name: null, config: '{}', createdAt: '2026-01-01T00:00:00.000Z' }
            await insertEvaluation(tx, { workspaceId, id, componentId, datasetId, ...waiting })
          }
        })
        expect((await client.post(at, { datasetId })).status).toBe(202)
        const rejected = await client.post(at, { datasetId })
        expectError(rejected, 429)
        expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
        const other = await app().newWorkspace()
        const theirs = await seedRatedRun(other.client)
        expect((await other.client.post(theirs.at, { datasetId: theirs.datasetId })).status).toBe(202)
      })
    },
    { works: false },
  )
})
