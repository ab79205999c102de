import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import {
  connectModel,
  ended,
  evaluated,
  expectExactProgress,
  JUDGE,
  judging,
  QUICK,
  type Row,
  scoresOf,
  seedComponent,
  seedItems,
  seedOutputs,
  start,
  until,
} from './evaluating.ts'

const PER_MILLION = 1_000
const GOOD = '{"reason":"fine","passed":true}'

type Bill = { prompt: number; tokens: number }

/** What a provider answers, and the tokens that it will write on its bill. */
function billed(content: string, usage: Row) {
  const message = { role: 'assistant', content }
  return { body: JSON.stringify({ model: 'judge-1', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }) }
}

/** Every byte a token: no tokenizer makes more of a text. */
function tokensOf({ system, user }: AskedRequest): number {
  return Buffer.byteLength(system) + Buffer.byteLength(user)
}

async function price(client: { create(path: string, body: unknown): Promise<string> }, modelPattern = 'judge-1') {
  await client.create('/prices', { modelPattern, inputPerMillion: PER_MILLION, outputPerMillion: PER_MILLION })
}

function costIn(body: Row): { calls: number; spentUsd: number; unpricedScores: number; maxUsd: number | null } {
  return Object(Object(body.results).cost)
}

describeEachEngine(
  'the cost of an evaluation',
  (app) => {
    /** A provider with its own bill: the actual cost. */
    async function seedBilled(count: number, answer: (request: AskedRequest) => { content: string; tokens: number }) {
      const seeded = await seedOutputs(app(), count)
      await price(seeded.client)
      const bill = { tokens: 0, calls: 0 }
      const server = await connectModel(seeded, {
        misbehaviour: (request) => {
          const { content, tokens } = answer(request)
          const prompt = tokensOf(request)
          bill.tokens += prompt + tokens
          bill.calls += 1
          return billed(content, { prompt_tokens: prompt, completion_tokens: tokens })
        },
      })
      const dollars = () => (bill.tokens * PER_MILLION) / 1_000_000
      return { ...seeded, server, bill, dollars }
    }

    it('is the usage that the provider reports, at the price of its model, for each score and in total', async () => {
      const seeded = await seedBilled(5, () => ({ content: GOOD, tokens: 50 }))
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
      expect(costIn(body).calls).toBe(5)
      expect(costIn(body).spentUsd).toBeCloseTo(seeded.dollars(), 9)
      const scores = await scoresOf(seeded.client, body.path)
      const sum = scores.reduce((total, { costUsd }) => total + Number(costUsd), 0)
      expect(sum).toBeCloseTo(seeded.dollars(), 9)
      expect(sum).toBeGreaterThan(0)
    })

    it('is never more than config.maxCostUsd, for any concurrency', async () => {
      const [seed = 0] = fc.sample(fc.integer(), 1)
      console.log(`spending: seed ${seed}`)
      const some = fc.record({
        concurrency: fc.integer({ min: 1, max: 16 }),
        calls: fc.integer({ min: 0, max: 12 }),
        tokens: fc.integer({ min: 1, max: 900 }),
      })
      await fc.assert(
        fc.asyncProperty(some, async ({ concurrency, calls, tokens }) => {
          const seeded = await seedBilled(15, () => ({ content: GOOD, tokens }))
          // Enough for about so many requests of some 2,500 tokens.
          const maxCostUsd = 0.5 + calls * 2.5
          const body = await evaluated(seeded, {
            datasetId: seeded.datasetId,
            config: judging({ concurrency, maxCostUsd }),
          })
          expect(seeded.dollars()).toBeLessThanOrEqual(maxCostUsd)
          const scores = await expectExactProgress(seeded.client, body.path)
          const limit = `the cost limit of $${maxCostUsd} (config.maxCostUsd) leaves no room for another question`
          for (const { state, error } of scores) expect(error).toBe(state === 'scored' ? null : limit)
          expect(scores.filter(({ state }) => state === 'scored')).toHaveLength(seeded.bill.calls)
          if (body.status === 'failed') expect(seeded.bill.calls).toBe(0)
          else expect(costIn(body)).toMatchObject({ calls: seeded.bill.calls, maxUsd: maxCostUsd })
        }),
        { seed, numRuns: 5 },
      )
    })

    it.each([
      ['only the tokens of the prompt', ({ prompt }: Bill) => ({ prompt_tokens: prompt })],
      ['only the tokens of the answer', ({ tokens }: Bill) => ({ completion_tokens: tokens })],
      ['the sum', ({ prompt, tokens }: Bill) => ({ prompt_tokens: prompt, total_tokens: prompt + tokens })],
    ])('is never more than config.maxCostUsd if the provider reports %s', async (_, reported) => {
      const seeded = await seedOutputs(app(), 15)
      await price(seeded.client)
      const bill = { tokens: 0, calls: 0 }
      await connectModel(seeded, {
        misbehaviour: (request) => {
          const [prompt, tokens] = [tokensOf(request), 1_500]
          bill.tokens += prompt + tokens
          bill.calls += 1
          return billed(GOOD, reported({ prompt, tokens }))
        },
      })
      const maxCostUsd = 10
      await evaluated(seeded, { datasetId: seeded.datasetId, config: judging({ maxCostUsd }) })
      expect((bill.tokens * PER_MILLION) / 1_000_000).toBeLessThanOrEqual(maxCostUsd)
      expect(bill.calls).toBeGreaterThan(1)
    })

    it.each(['reset', 'reset in the body', 'invalid JSON', '100 MB'] as const)(
      'includes a call at its maximum if the answer is lost, which the provider bills, too: %s',
      async (misbehaviour) => {
        const seeded = await seedOutputs(app(), 10)
        await price(seeded.client)
        let most = 0
        const server = await connectModel(seeded, {
          misbehaviour: (request) => {
            most += ((tokensOf(request) + 2_000) * PER_MILLION) / 1_000_000
            return misbehaviour
          },
        })
        const maxCostUsd = 15
        const config = judging({ concurrency: 2, maxCostUsd })
        const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
        expect(server.requests.length).toBeGreaterThan(0)
        expect(most).toBeLessThanOrEqual(maxCostUsd)
        const scores = await scoresOf(seeded.client, body.path)
        const spent = scores.reduce((sum, { costUsd }) => sum + Number(costUsd), 0)
        expect(spent).toBeGreaterThanOrEqual(most)
        expect(spent).toBeLessThanOrEqual(maxCostUsd)
      },
    )

    it('includes unusable answers, which the provider bills, too', async () => {
      const seeded = await seedBilled(30, () => ({ content: 'I would rather not say.', tokens: 100 }))
      const maxCostUsd = 20
      const config = judging({ concurrency: 4, maxCostUsd })
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
      expect(body.progress).toMatchObject({ total: 30, done: 0 })
      expect(seeded.dollars()).toBeGreaterThan(0)
      expect(seeded.dollars()).toBeLessThanOrEqual(maxCostUsd)
      const scores = await scoresOf(seeded.client, body.path)
      expect(scores.some(({ error }) => String(error).includes('leaves no room'))).toBe(true)
    })

    it('keeps below the limit with texts of which every byte is a token', async () => {
      const seeded = await seedComponent(app())
      const items = Array.from({ length: 10 }, (_, place) => ({
        input: `问题 ${place}`,
        output: '答案是'.repeat(2_000),
      }))
      const { datasetId } = await seedItems(seeded, items)
      await price(seeded.client)
      let tokens = 0
      await connectModel(seeded, {
        misbehaviour: (request) => {
          tokens += tokensOf(request) + 20
          return billed(GOOD, { prompt_tokens: tokensOf(request), completion_tokens: 20 })
        },
      })
      await evaluated(seeded, { datasetId, config: judging({ concurrency: 10, maxCostUsd: 60 }) })
      expect(tokens).toBeGreaterThan(0)
      expect((tokens * PER_MILLION) / 1_000_000).toBeLessThanOrEqual(60)
    })

    it('stays below the limit over a cancellation and a retry, and includes the costs before', async () => {
      const seeded = await seedBilled(20, () => ({ content: GOOD, tokens: 500 }))
      const { client, bill } = seeded
      const maxCostUsd = 30
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging({ concurrency: 1, maxCostUsd }) })
      for (let times = 0; times < 3; times += 1) {
        const before = bill.calls
        await until(async () => {
          const { status } = (await client.get(path)).body
          expect(bill.calls > before || status === 'completed').toBe(true)
        })
        const cancelled = await client.post(`${path}/cancel`, undefined)
        if (cancelled.status === 409) break
        await until(async () => {
          const { total, done, failed, skipped } = Object((await client.get(path)).body.progress)
          expect(done + failed + skipped).toBe(total)
        })
        expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      }
      const body = await ended(client, path)
      expect(seeded.dollars()).toBeLessThanOrEqual(maxCostUsd)
      expect(costIn(body).calls).toBe(bill.calls)
      // What was hung up on counts with the most that it may have cost.
      expect(costIn(body).spentUsd).toBeGreaterThanOrEqual(seeded.dollars() - 1e-9)
      expect(costIn(body).spentUsd).toBeLessThanOrEqual(maxCostUsd)
      await expectExactProgress(client, path)
    })

    it('is zero with a limit and without a price: then no request is sent', async () => {
      const seeded = await seedOutputs(app(), 4)
      const server = await connectModel(seeded)
      const config = judging({ maxCostUsd: 1 })
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
      const message =
        'no price is configured for judge-1, so config.maxCostUsd cannot be enforced; add one under /prices'
      expect(body).toMatchObject({ status: 'failed', progress: { total: 4, skipped: 4 } })
      expect(body.error).toContain(message)
      expect(server.requests).toEqual([])
      expect((await scoresOf(seeded.client, body.path)).map(({ error }) => error)).toEqual(Array(4).fill(message))
    })

    it('is counted in calls without a price and without a limit, and unknown in USD', async () => {
      const seeded = await seedOutputs(app(), 2)
      await connectModel(seeded, { answer: () => JSON.parse(GOOD) })
      const body = await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
      expect(costIn(body)).toEqual({ calls: 2, spentUsd: 0, unpricedScores: 2, maxUsd: null })
      expect((await scoresOf(seeded.client, body.path)).map(({ costUsd }) => costUsd)).toEqual([null, null])
    })

    describe('cached answers', () => {
      it('are not requested again: the second evaluation makes no call and costs nothing', async () => {
        const seeded = await seedBilled(6, () => ({ content: GOOD, tokens: 10 }))
        const start = { datasetId: seeded.datasetId, config: judging() }
        const first = await evaluated(seeded, start)
        const second = await evaluated(seeded, start)
        expect(seeded.bill.calls).toBe(6)
        expect(costIn(first).calls).toBe(6)
        expect(costIn(second)).toEqual({ calls: 0, spentUsd: 0, unpricedScores: 0, maxUsd: null })
        expect(second.progress).toEqual(first.progress)
        const [before, after] = [await scoresOf(seeded.client, first.path), await scoresOf(seeded.client, second.path)]
        expect(after.map(({ score, reason, itemId }) => [score, reason, itemId])).toEqual(
          before.map(({ score, reason, itemId }) => [score, reason, itemId]),
        )
        expect(after.map(({ costUsd }) => costUsd)).toEqual(Array(6).fill(0))
      })

      it('do not count toward the limit', async () => {
        const seeded = await seedBilled(3, () => ({ content: GOOD, tokens: 10 }))
        await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
        const config = judging({ maxCostUsd: 0.000001 })
        expect(await evaluated(seeded, { datasetId: seeded.datasetId, config })).toMatchObject({
          status: 'completed',
          progress: { done: 3, skipped: 0 },
        })
        expect(seeded.bill.calls).toBe(3)
      })

      it.each([
        ['another model', { evaluators: [{ ...JUDGE, model: 'judge-2' }] }, 3],
        ['other instructions', { evaluators: [{ ...JUDGE, instructions: 'Is it bad?' }] }, 3],
        ['another temperature', { evaluators: [{ ...JUDGE, temperature: 1 }] }, 3],
        ['another scale', { evaluators: [{ ...JUDGE, scale: [0, 1] }] }, 3],
        ['the same place under another name', { provider: 'the same' }, 0],
        ['another place', { provider: 'elsewhere' }, 3],
        ['another name of the evaluator', { evaluators: [{ ...JUDGE, name: 'else' }] }, 0],
        ['repetitions', { repetitions: 2 }, 6],
      ])('are used only for exactly the same request: %s', async (_, changed, calls) => {
        const seeded = await seedOutputs(app(), 3)
        const { admin, datasetId } = seeded
        const answer = ({ system }: AskedRequest) =>
          system.includes('"score"') ? { reason: 'x', score: 1 } : { reason: 'x', passed: true }
        const server = await connectModel(seeded, { answer })
        await admin.create('/connections', { name: 'the same', baseUrl: server.baseUrl, models: ['judge-1'] })
        const elsewhere = server.baseUrl.replace('/v1', '/v1?elsewhere=1')
        await admin.create('/connections', { name: 'elsewhere', baseUrl: elsewhere, models: ['judge-1'] })
        await evaluated(seeded, { datasetId, config: judging() })
        expect(server.requests).toHaveLength(3)
        const again = await evaluated(seeded, { datasetId, config: judging(changed) })
        expect(again).toMatchObject({ status: 'completed', progress: { failed: 0, skipped: 0 } })
        expect(server.requests).toHaveLength(3 + calls)
      })

      it('of another application are not used', async () => {
        const ours = await seedOutputs(app(), 2)
        const theirs = await seedOutputs(app(), 2)
        const server = await connectModel(ours)
        await theirs.admin.create('/connections', { name: 'judges', baseUrl: server.baseUrl, models: ['judge-1'] })
        await evaluated(ours, { datasetId: ours.datasetId, config: judging() })
        await evaluated(theirs, { datasetId: theirs.datasetId, config: judging() })
        expect(server.requests).toHaveLength(4)
      })

      it('are never those of repetitions', async () => {
        const seeded = await seedOutputs(app(), 2)
        const server = await connectModel(seeded)
        await evaluated(seeded, { datasetId: seeded.datasetId, config: judging({ repetitions: 3 }) })
        expect(server.requests).toHaveLength(6)
        await evaluated(seeded, { datasetId: seeded.datasetId, config: judging({ repetitions: 3 }) })
        expect(server.requests).toHaveLength(12)
        await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
        expect(server.requests).toHaveLength(14)
      })
    })
  },
  QUICK,
)
