import { expect, it } from 'vitest'
import { drawAll } from '../annotations/rated-run.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { compared, metricNamed } from './read-comparison.ts'
import { passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

const ITEMS = 60

describeEachEngine('a comparison of items that people rated in both runs', (app) => {
  /** The judge passes every fifth item more of the candidate; people see no difference. The first `rated` are rated. */
  async function seedMildJudge(rated: number, offered: 'at random' | 'as chosen' = 'at random'): Promise<Seeded> {
    const seeded = await seedComparison(app(), {
      items: ITEMS,
      baseline: passesOf(ITEMS, (place) => ({ scores: { judge: place % 5 < 2 ? 1 : 0 } })),
      candidate: passesOf(ITEMS, (place) => ({ scores: { judge: place % 5 < 3 ? 1 : 0 } })),
      metrics: [{ name: 'judge', kind: 'binary', scale: [0, 1], higherIsBetter: true }],
    })
    await rate(seeded, seeded.client, rated)
    const { workspaceId, baseline, candidate } = seeded
    if (offered === 'at random')
      for (const { runId } of [baseline, candidate]) await drawAll(app(), { workspaceId, runId })
    return seeded
  }

  async function rate({ component, baseline, candidate }: Seeded, by: Client, rated: number): Promise<void> {
    for (let place = 0; place < rated; place += 1) {
      const rating = place % 5 < 2 ? 'positive' : 'negative'
      for (const { runId, traceIds } of [baseline, candidate])
        await by.create(`${component}/runs/${runId}/annotations`, { traceDbId: traceIds[place], rating })
    }
  }

  it('has the difference that people would see: the judge’s own is taken back', async () => {
    const judge = metricNamed(await compared(await seedMildJudge(25)), 'judge')
    expect(judge).toMatchObject({ verdict: 'improved', difference: expect.closeTo(0.2, 12) })
    expect(judge.corrected).toMatchObject({
      labels: 25,
      scale: [0, 1],
      verdict: 'noClearDifference',
      method: expect.stringContaining('PPI++'),
      summary: expect.stringMatching(/^Corrected by ratings, .* 25 items are rated in both runs\.$/),
    })
    expect(Math.abs(Object(judge.corrected).difference)).toBeLessThan(0.05)
  })

  it('returns how many ratings are missing, and null without any', async () => {
    const few = metricNamed(await compared(await seedMildJudge(3)), 'judge')
    expect(few.corrected).toMatchObject({
      labels: 3,
      difference: null,
      ci: null,
      verdict: 'tooFewCases',
      summary: 'judge cannot be corrected: 3 items are rated in both runs, and at least 20 are needed.',
    })
    expect(metricNamed(await compared(await seedMildJudge(0)), 'judge').corrected).toBeNull()
  })

  it('does not use items that people chose, unless all items are rated', async () => {
    const chosen = await compared(await seedMildJudge(40, 'as chosen'))
    expect(metricNamed(chosen, 'judge').corrected).toMatchObject({
      labels: 0,
      excluded: 40,
      difference: null,
      verdict: 'tooFewCases',
      summary:
        'judge cannot be corrected: 0 items are rated in both runs and drawn at random, and at least 20 are needed. 40 others are rated but not drawn: rate in the order random of the queue.',
    })
    const complete = metricNamed(await compared(await seedMildJudge(ITEMS, 'as chosen')), 'judge')
    expect(complete.corrected).toMatchObject({ labels: ITEMS, excluded: 0, difference: expect.closeTo(0, 12) })
  })

  it('draws the same items first in both runs', async () => {
    const { client, component, baseline, candidate } = await seedMildJudge(0, 'as chosen')
    const drawn = async (runId: string) => {
      const { body } = await client.post(`${component}/runs/${runId}/queue/next`, { limit: 10 })
      return Array.isArray(body.items) ? body.items.map((item) => Object(item).itemId) : []
    }
    const first = await drawn(baseline.runId)
    expect(first).toHaveLength(10)
    expect(await drawn(candidate.runId)).toEqual(first)
  })

  it('is withheld from a rater of a blind run, in the comparison, the results of an evaluation and its gate', async () => {
    const seeded = await seedMildJudge(20)
    const { client, component, workspaceId, datasetId, baseline, candidate, at } = seeded
    const config = {
      evaluators: [{ type: 'latency', maxMs: 1_000 }],
      baselineRunId: baseline.runId,
      gate: { metric: 'error', corrected: true },
    }
    const path = `${component}/evaluations`
    const evaluation = `${path}/${await client.create(path, { datasetId, runId: candidate.runId, config })}`
    await until(async () => expect((await client.get(evaluation)).body.status).toBe('completed'))
    await client.send('PUT', `${component}/runs/${candidate.runId}/annotation-policy`, { body: { blind: true } })
    const rater = await browserWith(app(), workspaceId, 'annotator')
    const overseer = await browserWith(app(), workspaceId, 'owner')
    expect(JSON.stringify((await rater.get(at())).body)).not.toContain('PPI++')
    const family = { baseline: baseline.runId, candidates: [candidate.runId] }
    const { status, text } = await rater.post(`${component}/comparisons`, family)
    expect(status).toBe(200)
    expect(text).not.toContain('PPI++')
    const results = Object((await overseer.get(evaluation)).body.results)
    expect(results.gate).toEqual({
      passed: false,
      summary: expect.stringMatching(/^Cannot decide: no item of error is rated in both runs/),
    })
    const withheld = Object((await rater.get(evaluation)).body.results)
    expect(withheld.gate).toBeUndefined()
    expect(JSON.stringify(withheld)).not.toContain('PPI++')
  })
})
