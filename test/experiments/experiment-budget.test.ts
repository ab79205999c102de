import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { runs } from '../harness/stage.ts'
import { price, type Row, spentToday } from '../playground/trying.ts'
import {
  answerByRules,
  createExperiment,
  experimentBody,
  experimentsPath,
  experimentWith,
  isReflection,
  reflectByRules,
  resultsOf,
  ruleItems,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

const JUDGE = { type: 'llmJudge', name: 'helpful', instructions: 'Is it helpful?', model: 'model-1' }

describeEachEngine('the budget of an experiment', (app) => {
  it('is never exceeded by answers, judges, reflections and the test, whatever they cost and however long they are', {
    tags: 'sized',
  }, async () => {
    const random = randomOfTest()
    for (let round = 0; round < runs(12); round += 1) {
      const rates = { inputPerMillion: 1 + random(2_000), outputPerMillion: 1 + random(5_000) }
      let billedUsd = 0
      let longest = 0
      const of = await seedExperiment(app(), {
        items: ruleItems(24),
        answer: (request) => {
          const { system, user } = request
          const padding = ' '.repeat(random(2) === 0 ? random(150) : 0)
          const judged = system.startsWith('You are an impartial judge')
          const known = isReflection(request) ? reflectByRules(request) : `${answerByRules(request)}${padding}`
          const answer = judged ? judgeBySchema(request) : known
          const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
          const tokens = { input: Math.ceil((system.length + user.length) / 4) + 2, output: Math.ceil(text.length / 4) }
          const cost = (tokens.input * rates.inputPerMillion + tokens.output * rates.outputPerMillion) / 1e6
          longest = Math.max(longest, cost)
          billedUsd += cost
          return answer
        },
      })
      await price(of, rates)
      const evaluators: Row[] = [{ type: 'exactMatch', name: 'correct' }, ...(random(2) === 0 ? [JUDGE] : [])]
      const body = { evaluators, allowTooFew: true, concurrency: 1 + random(8) }
      const { expectedCostUsd } = (
        await of.client.post(
          `${experimentsPath(of)}?dry_run=true`,
          experimentBody(of, { ...body, budget: { maxCalls: 600 } }),
        )
      ).body
      const maxCostUsd = Number(expectedCostUsd) * (0.3 + random(1_000) / 500)
      const budget = { maxCostUsd, maxCalls: 2_000 }
      const accepted = await of.client.post(experimentsPath(of), experimentBody(of, { ...body, budget }))
      if (accepted.status === 409) {
        expect(accepted.text).toMatch(/The budget buys [0-2] proposals? after/)
        continue
      }
      const path = `${experimentsPath(of)}/${accepted.body.id}`
      expect((await of.client.post(`${path}/start`, undefined)).status).toBe(202)
      const ended = await experimentWith(of.client, path)
      expect(ended.status, JSON.stringify(ended)).toBe('completed')
      const { cost, verdict }: Row = await resultsOf(of.client, path)
      expect(['tooFewCases', 'noFinalist']).toContain(verdict)
      const { totalUsd }: Row = Object(cost)
      expect(Number(totalUsd)).toBeLessThanOrEqual(maxCostUsd)
      // What the provider bills, up to the rounding of tokens.
      expect(billedUsd).toBeLessThanOrEqual(maxCostUsd)
      expect(Number(totalUsd)).toBeCloseTo(Number((await spentToday(of)).usd), 6)
      expect(await spentToday(of)).toMatchObject({ reservedUsd: 0 })
    }
  })

  it('leaves what the test needs: a search that the budget ends still has its test', async () => {
    const of = await seedExperiment(app())
    await price(of, { inputPerMillion: 100, outputPerMillion: 100 })
    const dry = await of.client.post(
      `${experimentsPath(of)}?dry_run=true`,
      experimentBody(of, { budget: { maxCalls: 200 } }),
    )
    const budget = { maxCostUsd: Number(dry.body.expectedCostUsd) * 1.5 }
    const { path } = await startExperiment(of, { budget, concurrency: 2 })
    const ended = await experimentWith(of.client, path)
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed', endedBy: 'budget' })
    expect(String(ended.reason)).toMatch(/The cost limit \(maxCostUsd\) leaves no room/)
    const results = await resultsOf(of.client, path)
    const trial = await of.client.get(`/components/${of.componentId}/trials/${Object(results.test).trialId}`)
    expect(trial.body).toMatchObject({ status: 'completed', endedBy: 'done', progress: { done: 60, failed: 0 } })
    expect(results.verdict).toBe('improved')
  })

  it('of calls ends the search before a step that it does not allow', { tags: 'deep' }, async () => {
    const of = await seedExperiment(app())
    const maxCalls = 200
    const { path } = await startExperiment(of, { budget: { maxCalls } })
    const ended = await experimentWith(of.client, path)
    expect(ended).toMatchObject({ status: 'completed', endedBy: 'calls' })
    expect(of.server.requests.length).toBeLessThanOrEqual(maxCalls)
    expect(await resultsOf(of.client, path)).toMatchObject({ test: { items: 30 } })
  })

  it('that buys fewer than three proposals is rejected, and one without prices', async () => {
    const of = await seedExperiment(app())
    const few = await of.client.post(experimentsPath(of), experimentBody(of, { budget: { maxCalls: 80 } }))
    expect(few).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^The budget buys 0 proposals after/) },
    })
    const unpriced = await of.client.post(experimentsPath(of), experimentBody(of, { budget: { maxCostUsd: 5 } }))
    expect(unpriced).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^No price is configured for model-1/) },
    })
    const { body } = await createExperiment(of)
    expect(body).toMatchObject({ cost: { spentUsd: 0, maxUsd: null } })
  })
})
