import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { startModelServer } from '../harness/model-server.ts'
import { runs } from '../harness/stage.ts'
import { evaluated, judging, QUICK, type Row, rowsIn, seedComponent, seedItems } from './evaluating.ts'

const LONG = 'a long answer '.repeat(40)

describeEachEngine(
  'GET …/evaluations/{evaluationId}/cases',
  (app) => {
    let client: Client
    let path: string
    let itemIds: string[]

    beforeAll(async () => {
      const seeded = await seedComponent(app())
      client = seeded.client
      const items = Array.from({ length: 9 }, (_, place) => ({
        input: `question ${place}`,
        output: place === 0 ? LONG : `answer ${place % 3}`,
        ...(place < 7 ? { expected: 'answer 1' } : {}),
      }))
      const seededItems = await seedItems(seeded, items)
      itemIds = seededItems.itemIds
      const server = await startModelServer({
        answer: () => ({ passed: true, reason: 'It is good. '.repeat(60) }),
        misbehaviour: ({ user }) => {
          const [, place = ''] = /question (\d)/.exec(user) ?? []
          if (place === '2' || place === '3') return { status: 400, error: { message: `token ${place}` } }
          return place === '5' ? { status: 401 } : undefined
        },
      })
      await seeded.admin.create('/connections', { name: 'judges', baseUrl: server.baseUrl, models: ['judge-1'] })
      const evaluators = [
        ...rowsIn(judging().evaluators),
        { type: 'exactMatch', name: 'same' },
        { type: 'tokenF1', name: 'words' },
      ]
      const { datasetId } = seededItems
      path = (await evaluated(seeded, { datasetId, config: judging({ evaluators }) })).path
      await server.close()
    })

    async function read(query = ''): Promise<{ data: Row[]; nextCursor: string | null; counts: unknown }> {
      const { status, body, text } = await client.get(`${path}/cases?${query}`)
      expect(status, text).toBe(200)
      const { nextCursor, counts } = body
      return { data: rowsIn(body.data), nextCursor: typeof nextCursor === 'string' ? nextCursor : null, counts }
    }

    async function places(query: string): Promise<number[]> {
      return (await read(query)).data.map(({ id }) => itemIds.indexOf(String(id)))
    }

    it('200 has the beginnings of the texts and all scores of each case', async () => {
      const { data, counts } = await read()
      expect(data.map(({ id }) => id)).toEqual(itemIds)
      const [first] = data
      expect(first).toMatchObject({
        itemId: itemIds[0],
        traceDbId: null,
        hasTrace: false,
        input: 'question 0',
        expected: 'answer 1',
        scoreCount: 3,
      })
      expect(String(first?.output)).toHaveLength(200)
      expect(rowsIn(first?.scores).map(({ evaluator, state, passed }) => [evaluator, state, passed])).toEqual([
        ['good', 'scored', true],
        ['same', 'scored', false],
        ['words', 'scored', null],
      ])
      expect(String(rowsIn(first?.scores)[0]?.reason).length).toBeLessThanOrEqual(300)
      expect(counts).toEqual({ total: 9, passed: 6, notPassed: 5, failed: 3, skipped: 2, pending: 0 })
    })

    it('200 has one case with its whole texts and reasons, if requested', async () => {
      const { data, nextCursor } = await read(`case=${itemIds[0]}`)
      expect(data).toHaveLength(1)
      expect(nextCursor).toBeNull()
      expect(data[0]?.output).toBe(LONG)
      expect(String(rowsIn(data[0]?.scores)[0]?.reason).length).toBeGreaterThan(300)
      expect((await read(`case=${ABSENT_ID}`)).data).toEqual([])
    })

    it('200 filters by metric, state, outcome and reason, and counts the cases of the metric', async () => {
      expect(await places('metric=same&passed=true')).toEqual([1, 4])
      expect(await places('metric=same&passed=false')).toEqual([0, 2, 3, 5, 6])
      expect(await places('metric=same&states=skipped')).toEqual([7, 8])
      expect(await places('metric=same&states=skipped,failed')).toEqual([7, 8])
      expect(await places('states=failed')).toEqual([2, 3, 5])
      expect(await places('metric=unknown')).toEqual([])
      const [, two] = await client.list(`${path}/scores?state=failed`)
      const reason = encodeURIComponent(String(two?.error))
      expect(await places(`error=${reason}`)).toEqual([2, 3])
      expect(await places(`error=${reason}&metric=same`)).toEqual([])
      expect((await read('metric=same&passed=true')).counts).toEqual({
        total: 9,
        passed: 2,
        notPassed: 5,
        failed: 0,
        skipped: 2,
        pending: 0,
      })
    })

    it('200 sorts by score, and cases without one are last', async () => {
      expect(await places('metric=same&sort=score')).toEqual([0, 2, 3, 5, 6, 1, 4, 7, 8])
      expect(await places('metric=same&sort=-score')).toEqual([1, 4, 0, 2, 3, 5, 6, 7, 8])
    })

    it('200 has each case exactly once, on pages of any size, in every order', { tags: 'sized' }, async () => {
      const query = fc.constantFrom(
        '',
        'metric=words&sort=score',
        'metric=words&sort=-score',
        'states=failed',
        'error=x',
      )
      await fc.assert(
        fc.asyncProperty(query, fc.integer({ min: 1, max: 10 }), async (query, limit) => {
          const whole = await places(query)
          const joined: number[] = []
          let cursor: string | null = ''
          while (cursor !== null) {
            const page = await read(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`)
            expect(page.counts === null).toBe(cursor !== '')
            joined.push(...page.data.map(({ id }) => itemIds.indexOf(String(id))))
            cursor = page.nextCursor
          }
          expect(joined).toEqual(whole)
        }),
        { numRuns: runs(12) },
      )
    })

    describe('400', () => {
      it.each([
        ['states=done', 'states must be a list of queued'],
        ['passed=yes', 'passed must be true or false'],
        ['sort=score', 'sort needs the query parameter metric'],
        ['sort=name&metric=same', 'sort must be one of score, -score'],
        ['sort=score&metric=same&error=x', 'sort cannot be combined with error'],
        ['case=a&metric=same', 'case cannot be combined with others'],
        ['cursor=abc', 'cursor must be the nextCursor'],
        [`cursor=${Buffer.from('["score","a",1]').toString('base64url')}`, 'cursor belongs to another sort'],
        ['metric=%00', 'metric must not contain'],
        ['limit=0', 'limit must be a whole number'],
        ['offset=1', 'offset is not known'],
      ])('for %s names the wrong parameter', async (query, message) => {
        expectError(await client.get(`${path}/cases?${query}`), 400, new RegExp(message))
      })
    })

    it('404 for an evaluation that does not exist', async () => {
      expectError(await client.get(`${path.replace(/[^/]+$/, ABSENT_ID)}/cases`), 404, 'Evaluation not found')
    })
  },
  QUICK,
)
