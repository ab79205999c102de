import { beforeAll, describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluated, QUICK, type Row, seedComponent, seedItems, start } from './evaluating.ts'

const EVALUATORS = [
  { type: 'exactMatch', name: 'same' },
  { type: 'contains', name: 'has it', value: 'answer' },
]

describeEachEngine(
  'GET …/evaluations/{evaluationId}/scores',
  (app) => {
    let client: Client
    let path: string
    let at: string
    let itemIds: string[]

    beforeAll(async () => {
      const seeded = await seedComponent(app())
      const items = Array.from({ length: 7 }, (_, place) => ({
        input: `q${place}`,
        output: `answer ${place}`,
        ...(place < 4 ? { expected: `answer ${place % 2 === 0 ? place : 'of another'}` } : {}),
      }))
      const { datasetId, itemIds: ids } = await seedItems(seeded, items)
      const evaluation = await evaluated(seeded, { datasetId, config: { evaluators: EVALUATORS } })
      ;({ client, at } = seeded)
      path = evaluation.path
      itemIds = ids
    })

    it('200 returns exactly these fields of each score', async () => {
      const [first, second] = await client.list(`${path}/scores`)
      const common = { itemId: itemIds[0], traceDbId: null, repetition: 1, attempts: 1, costUsd: null, label: null }
      const right = { state: 'scored', score: 1, passed: true, reason: null, error: null, details: null }
      expect(first).toEqual({ ...common, ...right, evaluator: 'has it' })
      expect(second).toEqual({ ...common, ...right, evaluator: 'same' })
      const [wrong] = await client.list(`${path}/scores?evaluator=same&offset=1&limit=1`)
      expect(wrong).toMatchObject({ score: 0, passed: false, error: null })
      expect(wrong?.reason).toMatch(/answer of another/)
      const [skipped] = await client.list(`${path}/scores?state=skipped`)
      const none = { state: 'skipped', score: null, passed: null, reason: null, details: null }
      expect(skipped).toEqual({
        ...common,
        ...none,
        itemId: itemIds[4],
        evaluator: 'same',
        error: 'the item has no expected value',
      })
    })

    it('200 joins pages of any size to the whole, each score once, in the order of items and evaluators', async () => {
      const whole = await client.list(`${path}/scores?limit=100`)
      expect(whole.map(({ itemId, evaluator }) => [itemId, evaluator])).toEqual(
        itemIds.flatMap((id) => ['has it', 'same'].map((name) => [id, name])),
      )
      for (const limit of [1, 3, 5, 13]) {
        const joined: Row[] = []
        for (let offset = 0; offset <= whole.length; offset += limit) {
          joined.push(...(await client.list(`${path}/scores?limit=${limit}&offset=${offset}`)))
        }
        expect(joined).toEqual(whole)
      }
      expect(await client.list(`${path}/scores?offset=14`)).toEqual([])
    })

    it('200 filters by state, by evaluator and by both, and is empty for an unknown name', async () => {
      const count = async (query: string) => (await client.list(`${path}/scores?${query}`)).length
      expect(await count('state=scored')).toBe(11)
      expect(await count('state=skipped')).toBe(3)
      expect(await count('state=failed')).toBe(0)
      expect(await count('evaluator=same')).toBe(7)
      expect(await count('evaluator=has%20it&state=scored')).toBe(7)
      expect(await count('evaluator=same&state=scored')).toBe(4)
      expect(await count('evaluator=unknown')).toBe(0)
      expect(await count(`evaluator=${encodeURIComponent("same' or '1'='1")}`)).toBe(0)
    })

    describe('400', () => {
      it.each([
        ['state=done', /state must be one of queued, running, retrying, scored, failed, skipped/],
        ['state=', /state/],
        ['evaluator=', /evaluator must not be empty/],
        ['evaluator=%00', /evaluator must not contain/],
        ['state=scored&state=failed', /state/],
        ['limit=0', /limit/],
        ['offset=-1', /offset/],
      ])('for ?%s names the wrong parameter', async (query, message) => {
        expectError(await client.get(`${path}/scores?${query}`), 400, message)
      })

      it.each(['dry_run=yes', 'dry_run=', 'dry_run=1', 'dry_run=true&dry_run=true'])(
        'for ?%s on start, and nothing is started',
        async (query) => {
          const { status } = await client.post(`${at}?${query}`, { datasetId: ABSENT_ID })
          expect(status).toBe(400)
        },
      )
    })

    it('404 for the events and every change of an evaluation that is foreign, absent or elsewhere, and no scores', async () => {
      const foreign = await seedComponent(app())
      const { datasetId } = await seedItems(foreign, [{ input: 'q', output: 'a' }])
      const theirs = await start(foreign, { datasetId })
      const sibling = await client.create('/components', { name: 'sibling' })
      const id = path.split('/').at(-1)
      const paths = [`${at}/${ABSENT_ID}`, `${at}/${theirs.split('/').at(-1)}`, theirs]
      for (const wrong of [...paths, `/components/${sibling}/evaluations/${id}`]) {
        expectError(await client.get(wrong), 404, 'Evaluation not found')
        // As every list below a missing resource: byte for byte the same for one of another application.
        expect((await client.get(`${wrong}/scores`)).text).toBe('{"data":[]}')
        expectError(await client.get(`${wrong}/events`), 404, 'Evaluation not found')
        expectError(await client.post(`${wrong}/cancel`, undefined), 404, 'Evaluation not found')
        expectError(await client.post(`${wrong}/retry`, undefined), 404, 'Evaluation not found')
        expectError(await client.delete(wrong), 404, 'Evaluation not found')
      }
      expect((await foreign.client.get(theirs)).status).toBe(200)
      expect((await client.get(path)).body.status).toBe('completed')
    })
  },
  QUICK,
)
