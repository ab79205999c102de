import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { price, type Row, spentToday } from '../playground/trying.ts'
import {
  answerAtOnce,
  answerByRules,
  experimentBody,
  experimentsPath,
  isReflection,
  proposal,
  ruleItems,
  seedExperiment,
} from './seed-experiment.ts'

describeEachEngine('POST …/experiments/preview', (app) => {
  it('tries one proposal on 8 training items, and stores no experiment, no split and no version', async () => {
    const of = await seedExperiment(app(), { answer: answerAtOnce })
    await price(of, { inputPerMillion: 100, outputPerMillion: 100 })
    const { status, text, body } = await of.client.post(`${experimentsPath(of)}/preview`, experimentBody(of))
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ means: { start: 0, proposal: 1 }, fate: null, diagnosis: 'a rule is missing' })
    expect(body.items).toHaveLength(8)
    expect(Object(body.items)[0]).toMatchObject({
      start: { output: 'wrong', score: 0, error: null },
      proposal: { output: 'right', score: 1 },
    })
    const changes: Row[] = Object(body.diff).messages
    expect(changes.map(({ change }) => change)).toEqual(['changed', 'same'])
    expect(of.server.requests).toHaveLength(17)
    expect(of.server.requests.filter(isReflection)).toHaveLength(1)
    expect(Number(body.costUsd)).toBeGreaterThan(0)
    expect(Number(body.costUsd)).toBeCloseTo(Number((await spentToday(of)).usd), 9)
    expect(await of.client.list(experimentsPath(of))).toEqual([])
    const items = await of.client.list(`/components/${of.componentId}/datasets/${of.datasetId}/items?limit=100`)
    expect(items.every(({ split }) => split === null)).toBe(true)
    expect(await of.client.list(`${of.path}/versions`)).toHaveLength(of.version)
  })

  it('says why a proposal is rejected, and keeps the budget and the limits of spending', async () => {
    const of = await seedExperiment(app(), {
      items: ruleItems(24),
      answer: (request) =>
        isReflection(request)
          ? proposal(Object(JSON.parse(request.user)).prompt.messages, () => 'x'.repeat(9_000))
          : answerByRules(request),
    })
    const preview = (body: Row = {}) => of.client.post(`${experimentsPath(of)}/preview`, experimentBody(of, body))
    expect((await preview()).body).toMatchObject({
      fate: 'tooLong',
      messages: null,
      diff: null,
      means: { start: 0, proposal: null },
      summary: expect.stringMatching(/^The proposal was rejected: It has about 22\d\d tokens/),
    })
    await price(of, { inputPerMillion: 1_000, outputPerMillion: 1_000 })
    const before = Number((await spentToday(of)).usd)
    const stopped = await preview({ budget: { maxCostUsd: 0.2 } })
    expect(`${stopped.status} ${stopped.text}`).toMatch(/^409 .*The preview may cost \$0.2/)
    const { usd, reservedUsd } = await spentToday(of)
    expect(Number(usd) - before).toBeLessThanOrEqual(0.2)
    expect(reservedUsd).toBe(0)
  })
})
