import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectModel, evaluated, JUDGE, judging, QUICK, seedItems, seedOutputs } from './evaluating.ts'

const PAIRWISE = { type: 'pairwise', name: 'better', instructions: 'Which is better?' }

describeEachEngine(
  'POST …/evaluations?dry_run=true',
  (app) => {
    /** Two runs of a dataset, in which every item has been answered. */
    async function seedRuns(count: number) {
      const seeded = await seedOutputs(app(), count)
      const { client, below, datasetId, itemIds } = seeded
      const runIds: string[] = []
      for (const name of ['before', 'after']) {
        runIds.push(await client.create(`${below}/runs`, { datasetId, name }))
        const traces = itemIds.map((itemId, place) => {
          return { traceId: `${name}-${place}`, run: name, itemId, input: 'q', output: `${name} ${place}` }
        })
        await client.post(`${below}/traces`, { traces })
      }
      const [baselineRunId = '', runId = ''] = runIds
      return { ...seeded, baselineRunId, runId }
    }

    it('400 for a config that is too large or too deep to be started', async () => {
      const { client, at, datasetId } = await seedOutputs(app(), 1)
      const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)
      for (const config of [{ note: 'x'.repeat(70_000) }, deep]) {
        const [dry, real] = [
          await client.post(`${at}?dry_run=true`, { datasetId, config }),
          await client.post(at, { datasetId, config }),
        ]
        expectError(real, 400, /The field config/)
        expect({ status: dry.status, body: dry.body }).toEqual({ status: real.status, body: real.body })
      }
    })

    it.each([
      [
        { type: 'jsonSchema', schema: { pattern: '(?=a)' } },
        'schema cannot be used: its pattern “(?=a)” cannot be used',
      ],
      [{ type: 'regex', pattern: '(a' }, 'pattern cannot be used: missing closing )'],
      [{ type: 'regex', pattern: `(${'a'.repeat(300)}` }, 'pattern cannot be used: missing closing )'],
    ])(
      '400 for a schema or pattern that cannot be compiled, which also ends an evaluation (%#)',
      async (entry, problem) => {
        const seeded = await seedOutputs(app(), 1)
        const { client, at, datasetId } = seeded
        const config = { evaluators: [{ type: 'jsonValid' }, entry] }
        const dry = await client.post(`${at}?dry_run=true`, { datasetId, config })
        expect(dry.status).toBe(400)
        expect(dry.text).toContain(`config.evaluators[1].${problem}`)
        const { status, error } = await evaluated(seeded, { datasetId, config })
        expect({ status, error }).toEqual({ status: 'failed', error: dry.body.error })
      },
    )

    it('is another request than the start, even with the same Idempotency-Key', async () => {
      const { client, at, datasetId } = await seedOutputs(app(), 1)
      const key = { 'idempotency-key': 'once' }
      expect((await client.post(`${at}?dry_run=true`, { datasetId }, key)).status).toBe(200)
      expectError(
        await client.post(at, { datasetId }, key),
        422,
        'This Idempotency-Key was used before with another request',
      )
      expect((await client.post(`${at}?dry_run=true`, { datasetId }, key)).status).toBe(200)
      expect(await client.list(at)).toEqual([])
    })

    it('200 returns cases, scores, calls and costs, and starts nothing', async () => {
      const seeded = await seedOutputs(app(), 100)
      const { client, at, datasetId } = seeded
      const server = await connectModel(seeded)
      await client.create('/prices', { modelPattern: 'judge-1', inputPerMillion: 1, outputPerMillion: 10 })
      const config = judging({ evaluators: [JUDGE, { type: 'exactMatch' }], repetitions: 2 })
      const { status, body } = await client.post(`${at}?dry_run=true`, { datasetId, config })
      expect(status).toBe(200)
      expect(body).toMatchObject({ cases: 100, scores: 300, calls: 200, unpricedModels: [] })
      // 150 tokens of each answer, and a prompt of a few hundred.
      const answers = (200 * 150 * 10) / 1_000_000
      expect(body.expectedCostUsd).toBeGreaterThan(answers)
      expect(body.expectedCostUsd).toBeLessThan(answers + (200 * 1_500) / 1_000_000)
      expect(body.detectableDifference).toBeGreaterThan(0)
      expect(body.summary).toMatch(
        /^100 cases, about 200 calls of models for about \$0\.\d+; a rate must change by about \d+ points/,
      )
      expect(await client.list(at)).toEqual([])
      expect(server.requests).toEqual([])
    })

    it('200 is near the calls and costs of the evaluation', async () => {
      const seeded = await seedOutputs(app(), 10)
      const { client, at, datasetId } = seeded
      const reason = 'because '.repeat(70)
      await connectModel(seeded, { answer: () => ({ reason, passed: true }) })
      await client.create('/prices', { modelPattern: 'judge-1', inputPerMillion: 1, outputPerMillion: 1 })
      const { body: estimate } = await client.post(`${at}?dry_run=true`, { datasetId, config: judging() })
      const body = await evaluated(seeded, { datasetId, config: judging() })
      const { calls, spentUsd } = Object(Object(body.results).cost)
      expect(estimate.calls).toBe(calls)
      expect(Number(estimate.expectedCostUsd)).toBeGreaterThan(spentUsd * 0.7)
      expect(Number(estimate.expectedCostUsd)).toBeLessThan(spentUsd * 1.3)
    })

    it('200 with ten cases reports that they are too few', async () => {
      const { client, at, datasetId } = await seedOutputs(app(), 10)
      const { body } = await client.post(`${at}?dry_run=true`, { datasetId })
      expect(body).toMatchObject({ cases: 10, detectableDifference: null })
      expect(body.summary).toMatch(/so few cases cannot show even a rate that rises from 50 % to 100 %, which needs/)
    })

    it('200 with a model without a price has no cost, and names the model', async () => {
      const seeded = await seedOutputs(app(), 3)
      await connectModel(seeded)
      const { body } = await seeded.client.post(`${seeded.at}?dry_run=true`, {
        datasetId: seeded.datasetId,
        config: judging(),
      })
      expect(body).toMatchObject({ calls: 3, expectedCostUsd: null, unpricedModels: ['judge-1'] })
      expect(body.summary).toMatch(/at an unknown cost \(no price for judge-1\)/)
    })

    it('200 with include=gate returns how many items the gate needs, and the basis', async () => {
      const seeded = await seedRuns(40)
      const { client, at, datasetId, runId, baselineRunId } = seeded
      const evaluators = [{ type: 'contains', name: 'zero', value: '0' }]
      const config = { evaluators, baselineRunId, gate: { metric: 'zero', margin: 0.1 } }
      const gateOf = async (more: object = {}) => {
        const body = { datasetId, runId, config: { ...config, ...more } }
        const answer = await client.post(`${at}?dry_run=true&include=gate`, body)
        expect(answer.status, answer.text).toBe(200)
        return Object(answer.body.gate)
      }
      // (1.96 + 0.84)² · ½ / 0.1² + 1 / 0.1
      const assumed = await gateOf()
      expect(assumed).toMatchObject({ metric: 'zero', margin: 0.1, items: 40, itemsNeeded: 403, basis: 'assumed' })
      expect(await gateOf({ plannedLooks: 5 })).toMatchObject({ itemsNeeded: 413 })
      expect(assumed.summary).toMatch(
        /about 403 items .*\. 40 are in both runs\. .*before has no scores of zero: evaluate it first/,
      )
      await evaluated(seeded, { datasetId, runId: baselineRunId, config: { evaluators } })
      const byBaseline = await gateOf()
      // 4 of 40 outputs contain a zero.
      expect(byBaseline).toMatchObject({ items: 40, itemsNeeded: 155, basis: 'baseline' })
      expect(byBaseline.summary).not.toContain('evaluate it first')
      await evaluated(seeded, { datasetId, runId, config: { evaluators } })
      expect(await gateOf()).toMatchObject({ items: 40, itemsNeeded: 30, basis: 'pairs' })
      expect(await gateOf({ gate: { metric: 'zero' } })).toMatchObject({ margin: 0.05, itemsNeeded: 59 })
      expect(await gateOf({ gate: { metric: 'zero', margin: 0 } })).toMatchObject({ itemsNeeded: null, basis: null })
      expect(await gateOf({ gate: { metric: 'durationMs' } })).toMatchObject({ margin: 1.1, itemsNeeded: null })
      expect(await gateOf({ gate: { metric: 'zero', sequential: true } })).toMatchObject({ itemsNeeded: null })
      await connectModel(seeded)
      const pairwise = await gateOf(judging({ evaluators: [PAIRWISE], gate: { metric: 'better' } }))
      // Of a share, whose distance from one half is at most that, a margin of 0.05 is as strict as 0.1 of a rate.
      expect(pairwise).toMatchObject({ margin: 0.05, itemsNeeded: 403, basis: 'assumed' })
      expect(pairwise.summary).not.toContain('evaluate it first')
      expect(await gateOf({ gate: undefined })).toEqual({})
      const plain = await client.post(`${at}?dry_run=true`, { datasetId, runId, config })
      expect(plain.body).not.toHaveProperty('gate')
    })

    it('400 for include without dry_run, and for anything but gate', async () => {
      const { client, at, datasetId } = await seedOutputs(app(), 1)
      expectError(await client.post(`${at}?include=gate`, { datasetId }), 400, /include needs dry_run=true/)
      expectError(await client.post(`${at}?dry_run=true&include=all`, { datasetId }), 400, /include must be gate/)
    })

    it('200 without a model costs nothing, also for no cases at all', async () => {
      const seeded = await seedOutputs(app(), 3)
      const { client, at, below, datasetId } = seeded
      const { body } = await client.post(`${at}?dry_run=true`, { datasetId })
      expect(body).toMatchObject({ cases: 3, scores: 12, calls: 0, expectedCostUsd: 0, unpricedModels: [] })
      const empty = await client.create(`${below}/datasets`, { name: 'Empty' })
      const none = await client.post(`${at}?dry_run=true`, { datasetId: empty, config: {} })
      expect(none.body).toMatchObject({ cases: 0, scores: 0, calls: 0, expectedCostUsd: 0, detectableDifference: null })
    })

    it('200 counts no calls for cases that have nothing to be judged', async () => {
      const seeded = await seedOutputs(app(), 2)
      await connectModel(seeded)
      const { datasetId } = await seedItems(seeded, [{ input: 'a', output: 'b' }, { input: 'no output' }], 'Half')
      const { body } = await seeded.client.post(`${seeded.at}?dry_run=true`, { datasetId, config: judging() })
      expect(body).toMatchObject({ cases: 2, scores: 2, calls: 1 })
    })

    it('200 counts the calls of an evaluator that compares with another run', async () => {
      const seeded = await seedRuns(5)
      const { client, at, datasetId, runId, baselineRunId } = seeded
      const server = await connectModel(seeded)
      const config = judging({ evaluators: [PAIRWISE], baselineRunId })
      const { body } = await client.post(`${at}?dry_run=true`, { datasetId, runId, config })
      const evaluation = await evaluated(seeded, { datasetId, runId, config })
      expect(evaluation).toMatchObject({ status: 'completed', progress: { total: 5, done: 5 } })
      expect(server.requests.length).toBeGreaterThan(0)
      expect(body.calls).toBe(server.requests.length)
    })

    it('200 of an embedding uses the price of the embedding model', async () => {
      const seeded = await seedOutputs(app(), 2)
      const { client, at, datasetId } = seeded
      const server = await connectModel(seeded, {}, { models: ['judge-1', 'text-embed-1'] })
      await client.create('/prices', { modelPattern: 'text-embed-1', inputPerMillion: 1, outputPerMillion: 1 })
      const config = judging({ evaluators: [{ type: 'embeddingSimilarity' }] })
      const { body } = await client.post(`${at}?dry_run=true`, { datasetId, config })
      expect(body).toMatchObject({ calls: 2, unpricedModels: [] })
      const evaluation = await evaluated(seeded, { datasetId, config })
      expect(evaluation).toMatchObject({ status: 'completed', progress: { done: 2 } })
      expect(server.requests.map((request) => request.body.model)).toEqual(['text-embed-1', 'text-embed-1'])
    })

    describe('400 with the very message that would end the evaluation', () => {
      it.each([
        [{ evaluators: [{ type: 'guess' }] }],
        [{ evaluators: [JUDGE] }],
        [{ evaluators: [JUDGE], provider: 'unknown' }],
        [{ repetitions: 101 }],
        [{ maxCostUsd: 0 }],
        [{ maxCostUsd: '5' }],
        [{ gate: { metric: 'good' } }],
        [{ gate: { metric: 'good', margin: -1 }, baselineRunId: ABSENT_ID }],
        [{ evaluators: [PAIRWISE], provider: 'judges' }],
        [{ baselineRunId: ABSENT_ID }],
        [{ evaluators: [{ type: 'regex', pattern: '(' }] }],
      ])('%j', async (config) => {
        const seeded = await seedOutputs(app(), 1)
        const { client, at, datasetId } = seeded
        const dry = await client.post(`${at}?dry_run=true`, { datasetId, config })
        const { error, status } = await evaluated(seeded, { datasetId, config })
        expect(status).toBe('failed')
        expectError(dry, 400, String(error))
      })

      it('for a gate without a run, and for one that compares a run with itself', async () => {
        const seeded = await seedRuns(1)
        const { client, at, datasetId, runId, baselineRunId } = seeded
        const gate = { metric: 'error' }
        for (const body of [
          { datasetId, config: { gate, baselineRunId } },
          { datasetId, runId, config: { gate, baselineRunId: runId } },
        ]) {
          const dry = await client.post(`${at}?dry_run=true`, body)
          const { error, status } = await evaluated(seeded, body)
          expect(status).toBe('failed')
          expectError(dry, 400, String(error))
        }
      })
    })

    it('404 and 400 as for one that is started', async () => {
      const seeded = await seedRuns(1)
      const { client, at, below, runId } = seeded
      expectError(await client.post(`${at}?dry_run=true`, { datasetId: ABSENT_ID }), 404, 'Dataset not found')
      const other = await client.create(`${below}/datasets`, { name: 'Other' })
      const message = /run does not belong to the dataset/
      expectError(await client.post(`${at}?dry_run=true`, { datasetId: other, runId }), 400, message)
    })
  },
  QUICK,
)
