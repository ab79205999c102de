import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { errorPattern } from '../../src/evaluations/score-summary/summarize-scores.ts'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { startModelServer } from '../harness/model-server.ts'
import { evaluated, judging, QUICK, type Row, rowsIn, seedComponent, seedItems } from './evaluating.ts'

describe('the pattern of an error', () => {
  it.each([
    ['judges returned 429 (rate limit); it asks to wait 12 s', 'judges returned 429 (rate limit); it asks to wait … s'],
    ['request req_8f3a failed at 10:03:22.123', 'request … failed at …'],
    ['no item 01890a5d-ac96-774b-bcce-b302099a8057.', 'no item ….'],
    ['the trace has not arrived', 'the trace has not arrived'],
  ])('of %s is %s', (message, pattern) => {
    expect(errorPattern(message)).toBe(pattern)
  })

  it('does not change when it is taken again, of any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 1_200 }), (text) => {
        const pattern = errorPattern(text)
        expect(errorPattern(pattern)).toBe(pattern)
        expect(pattern.length).toBeLessThanOrEqual(500)
      }),
    )
  })
})

describeEachEngine(
  'GET …/evaluations/{evaluationId}/scores/summary',
  (app) => {
    let client: Client
    let path: string
    let body: Row

    beforeAll(async () => {
      const seeded = await seedComponent(app())
      client = seeded.client
      const items = Array.from({ length: 8 }, (_, place) => ({
        input: `question ${place}`,
        output: `answer ${place}`,
        ...(place < 6 ? { expected: `answer ${place % 2}` } : {}),
      }))
      const { datasetId } = await seedItems(seeded, items)
      // Rejected with another number each: the requests 2, 3 and 5.
      const server = await startModelServer({
        misbehaviour: ({ user }) => {
          const [, place = ''] = /question (\d)/.exec(user) ?? []
          return ['2', '3', '5'].includes(place)
            ? { status: 400, error: { message: `limit of ${place}000 tokens` } }
            : undefined
        },
      })
      await seeded.admin.create('/connections', { name: 'judges', baseUrl: server.baseUrl, models: ['judge-1'] })
      const evaluators = [...rowsIn(judging().evaluators), { type: 'exactMatch', name: 'same' }]
      body = await evaluated(seeded, { datasetId, config: judging({ evaluators }) })
      path = String(body.path)
      await server.close()
    })

    it('200 groups what failed or was skipped by reason, with one example; numbers do not split a group', async () => {
      const { body: summary } = await client.get(`${path}/scores/summary?group_by=error`)
      const [failed, skipped] = rowsIn(summary.data)
      const [, , third] = await client.list(`${path}/scores?evaluator=good`)
      expect(failed).toEqual({
        evaluator: 'good',
        state: 'failed',
        error: 'judges returned 400: it rejected the request; its message: limit of … tokens',
        score: null,
        label: null,
        passed: null,
        count: 3,
        example: { caseId: third?.itemId, error: third?.error, attempts: 1 },
      })
      expect(skipped).toMatchObject({ evaluator: 'same', state: 'skipped', count: 2 })
      expect(skipped?.error).toBe('the item has no expected value')
      expect(summary).toMatchObject({ others: 0 })
      expect(rowsIn(summary.data)).toHaveLength(2)
    })

    it('200 groups all scores by outcome and value, which add up to the progress', async () => {
      const { body: summary } = await client.get(`${path}/scores/summary?group_by=value`)
      const groups = rowsIn(summary.data)
      const same = groups.filter(({ evaluator }) => evaluator === 'same')
      expect(same).toEqual([
        expect.objectContaining({ state: 'scored', passed: false, score: 0, count: 4 }),
        expect.objectContaining({ state: 'scored', passed: true, score: 1, count: 2 }),
        expect.objectContaining({ state: 'skipped', passed: null, score: null, count: 2 }),
      ])
      const count = (state: string) =>
        groups.filter((group) => group.state === state).reduce((sum, group) => sum + Number(group.count), 0)
      const total = groups.reduce((sum, group) => sum + Number(group.count), 0)
      expect({ total, done: count('scored'), failed: count('failed'), skipped: count('skipped') }).toEqual(
        body.progress,
      )
    })

    it.each([
      ['', 'group_by'],
      ['?group_by=state', 'group_by'],
      ['?group_by=error&limit=3', 'The query parameter limit is not known'],
    ])('400 for %s', async (query, message) => {
      expectError(await client.get(`${path}/scores/summary${query}`), 400, new RegExp(message))
    })

    it('404 for an evaluation that does not exist', async () => {
      const absent = path.replace(/[^/]+$/, ABSENT_ID)
      expectError(await client.get(`${absent}/scores/summary?group_by=error`), 404, 'Evaluation not found')
    })
  },
  QUICK,
)
