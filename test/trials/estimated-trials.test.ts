import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { price, type Row } from '../playground/trying.ts'
import { seedPromptTrials, startTrial, trialsPath, trialWith, version, WORKER } from './seed-trial.ts'

describeEachEngine('POST …/trials?dry_run=true', (app) => {
  const gate = { metric: 'brief', margin: 0.05 }
  const evaluation = { evaluators: [{ type: 'contains', name: 'brief', value: 'a' }], gate }

  it('estimates calls, cost, time and what can be seen, and starts nothing', async () => {
    const of = await seedPromptTrials(app(), { items: 20 })
    await price(of, { inputPerMillion: 100 })
    const { client, datasetId, promptId } = of
    const variants = [version(promptId, 1), version(promptId, 2), WORKER]
    const dry = async (body: Row = {}) => {
      const answer = await client.post(`${trialsPath(of)}?dry_run=true`, { datasetId, variants, ...body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    }
    const estimate = await dry({ evaluation })
    expect(estimate).toMatchObject({ calls: 60, unpricedModels: [], minutes: null, missing: [] })
    const { minUsd, expectedUsd, maxUsd }: Record<string, number> = Object(estimate.cost)
    expect(minUsd).toBeGreaterThan(0)
    expect(expectedUsd).toBeGreaterThan(Number(minUsd))
    // 40 calls with at most 100 tokens of output.
    expect(maxUsd).toBeCloseTo(Number(minUsd) + (40 * 99 * 100) / 1e6, 6)
    expect(estimate.gate).toMatchObject({ metric: 'brief', margin: 0.05, items: 20 })
    expect(Object(estimate.gate).itemsNeeded).toBeGreaterThan(500)
    expect(String(estimate.summary)).toMatch(
      /^60 calls for about \$.* The gate needs about [\d,]+ items, and there are 20\.$/,
    )
    const rows: Row[] = Object(estimate.byRepetitions)
    expect(rows.map(({ repetitions, calls }) => [repetitions, calls])).toContainEqual([3, 180])
    const seen = rows.map(({ detectableDifference }) => Number(detectableDifference))
    expect(seen).toEqual(seen.toSorted((a, b) => b - a))
    // 20 items with (1.96 + 0.84) · √(0.18 / 20) for one candidate; two candidates, and then early stop, need more.
    expect(seen[0]).toBeGreaterThan(0.266)
    const early = await dry({ evaluation, stopEarly: true })
    expect(Object(early.byRepetitions)[0].detectableDifference).toBeGreaterThan(Number(seen[0]))
    expect(Object((await dry({ repetitions: 2 })).cost).maxUsd).toBeCloseTo(2 * Number(maxUsd), 6)
    expect(of.server.requests).toEqual([])
    expect(await client.list(trialsPath(of))).toEqual([])
    expect(await client.list(`/components/${of.componentId}/runs`)).toEqual([])
    const trial = await startTrial(of, { variants: [version(promptId, 1)] })
    await trialWith(client, trial.path)
    expect((await dry()).minutes).toEqual(expect.any(Number))
  })

  it('has the calls of judges, what other numbers of items show, and the limits of the connection', async () => {
    const of = await seedPromptTrials(app(), { items: 20, connection: { requestsPerMinute: 10 } })
    await price(of, { inputPerMillion: 100 })
    const { client, datasetId, promptId } = of
    const variants = [version(promptId, 1), version(promptId, 2)]
    const dry = async (body: Row = {}) => {
      const answer = await client.post(`${trialsPath(of)}?dry_run=true`, { datasetId, variants, ...body })
      expect(answer.status, answer.text).toBe(200)
      return answer.body
    }
    const judge = { type: 'llmJudge', name: 'kind', instructions: 'Is it kind?' }
    const judged = await dry({ evaluation: { evaluators: [judge], provider: 'models' }, repetitions: 2 })
    expect(judged.judges).toEqual({ calls: 80, expectedUsd: expect.any(Number), unpricedModels: [] })
    expect(Object(judged.judges).expectedUsd).toBeGreaterThan(0)
    expect(String(judged.summary)).toMatch(/ Judges need about 80 calls of models for about \$/)
    const free = await dry({ evaluation })
    expect(free).toMatchObject({ judges: { calls: 0, expectedUsd: 0 }, minutes: null, callsPerMinute: null })
    const points: Row[] = Object(free.byItems)
    expect(points.map(({ items }) => items)).toEqual([10, 20, 50, 100])
    const [first] = Object(free.byRepetitions)
    expect(points[1]).toEqual({ items: 20, detectableDifference: first.detectableDifference })
    expect(Number(points[3]?.detectableDifference)).toBeLessThan(first.detectableDifference)
    const trial = await startTrial(of, { variants: [version(promptId, 1)], sample: { n: 2 } })
    await trialWith(client, trial.path)
    // 40 calls at 10 a minute: the model of this test answers faster than that.
    expect(await dry()).toMatchObject({ minutes: 4, callsPerMinute: 10 })
  })

  it('counts the items that lack a variable, and names models without a price', async () => {
    const inputs = [{ question: 'a' }, { other: 'b' }, { other: 'c' }]
    const of = await seedPromptTrials(app(), { items: inputs.map((input) => ({ input: JSON.stringify(input) })) })
    const body = { datasetId: of.datasetId, variants: [version(of.promptId, 1)] }
    const { body: estimate } = await of.client.post(`${trialsPath(of)}?dry_run=true`, body)
    expect(estimate).toMatchObject({
      missing: [{ variable: 'question', items: 2, of: 3 }],
      unpricedModels: ['model-1'],
      cost: { minUsd: null, expectedUsd: null, maxUsd: null },
    })
    expect(String(estimate.summary)).toContain('question is missing in 2 of 3 items.')
    expectError(await of.client.post(`${trialsPath(of)}?dry_run=maybe`, body), 400)
    expectError(await of.client.post(`${trialsPath(of)}?dry_run=true`, { ...body, variants: [] }), 400)
  })
})
