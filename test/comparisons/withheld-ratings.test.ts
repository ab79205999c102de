import { expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { seedComparison } from './seed-comparison.ts'

/** Two runs of three items of which a person rated the first trace of the second run as bad. */
describeEachEngine('while a run is rated blindly', (app) => {
  async function ratedBlindly() {
    const passes = [0, 1, 2].map((item) => ({ item }))
    const seeded = await seedComparison(app(), { items: 3, baseline: passes, candidate: passes })
    const { client, workspaceId, component, candidate } = seeded
    const run = `${component}/runs/${candidate.runId}`
    const [traceDbId] = candidate.traceIds
    await client.create(`${run}/annotations`, { traceDbId, rating: 'negative' })
    await client.send('PUT', `${run}/annotation-policy`, { body: { blind: true } })
    const rater = await browserWith(app(), workspaceId, 'annotator')
    const overseer = await browserWith(app(), workspaceId, 'owner')
    return { ...seeded, run, traceDbId, rater, overseer }
  }

  it('a comparison withholds the ratings of others from a rater, and says so', async () => {
    const { at, rater, overseer } = await ratedBlindly()
    const toRater = (await rater.get(at())).body
    expect(toRater.metrics).not.toContainEqual(expect.objectContaining({ name: 'rating' }))
    expect(toRater.notCompared).toContainEqual({
      name: 'rating',
      reason: expect.stringContaining('blindly'),
      evaluate: null,
    })
    const toOverseer = (await overseer.get(at())).body
    expect(toOverseer.metrics).toContainEqual(expect.objectContaining({ name: 'rating' }))
  })

  it('a search by rating finds nothing of it, for all users', async () => {
    const { rater, overseer, run } = await ratedBlindly()
    for (const reader of [rater, overseer]) {
      expect((await reader.get('/traces?q=rating:negative')).body).toMatchObject({ data: [], total: 0 })
    }
    await overseer.send('PUT', `${run}/annotation-policy`, { body: { blind: false } })
    expect((await rater.get('/traces?q=rating:negative')).body).toMatchObject({ total: 1 })
  })

  it('the scores that reveal ratings are withheld from a rater, case by case', async () => {
    const { client, component, datasetId, candidate, rater, overseer } = await ratedBlindly()
    const config = { evaluators: [{ type: 'humanRating', name: 'people' }] }
    const body = { datasetId, runId: candidate.runId, config }
    const at = `${component}/evaluations/${await client.create(`${component}/evaluations`, body)}`
    await until(async () => expect((await client.get(at)).body.status).toBe('completed'))
    const revealed = (await rater.list(`${at}/scores`)).filter(({ score }) => score !== null)
    expect(revealed).toEqual([])
    // Nor by the state: whether a trace has been rated is withheld, too.
    expect(await rater.list(`${at}/scores?state=scored`)).toHaveLength(3)
    for (const state of ['skipped', 'failed']) expect(await rater.list(`${at}/scores?state=${state}`)).toEqual([])
    const scores = await overseer.list(`${at}/scores?state=scored`)
    expect(scores).toMatchObject([{ evaluator: 'people', score: 0, passed: false }])
  })

  it('the results of an evaluation withhold from a rater all insights, metrics, comparisons and gates based on ratings', async () => {
    const { client, component, datasetId, baseline, candidate, rater, overseer } = await ratedBlindly()
    const evaluators = [
      { type: 'humanRating', name: 'people' },
      { type: 'latency', maxMs: 1_000 },
    ]
    const gate = { metric: 'rating' }
    const config = { evaluators, baselineRunId: baseline.runId, gate }
    const body = { datasetId, runId: candidate.runId, config }
    const at = `${component}/evaluations/${await client.create(`${component}/evaluations`, body)}`
    await until(async () => expect((await client.get(at)).body.status).toBe('completed'))
    const namesIn = (metrics: { name: string }[]) => metrics.map(({ name }) => name)
    const results = Object((await overseer.get(at)).body.results)
    expect(results.insights).toContainEqual(expect.objectContaining({ type: 'negative_feedback' }))
    expect(namesIn(results.metrics)).toEqual(['people', 'latency'])
    expect(namesIn(results.comparison.metrics)).toContain('rating')
    expect(results.gate).toBeDefined()
    const withheld = Object((await rater.get(at)).body.results)
    expect(withheld.insights).not.toContainEqual(expect.objectContaining({ type: 'negative_feedback' }))
    expect(namesIn(withheld.metrics)).toEqual(['latency'])
    expect(namesIn(withheld.comparison.metrics)).not.toContain('rating')
    expect(withheld.comparison.notCompared).toContainEqual({
      name: 'rating',
      reason: expect.stringContaining('blindly'),
      evaluate: null,
    })
    expect(withheld.comparison.summary).not.toContain('rating')
    expect(withheld.gate).toBeUndefined()
    expect(JSON.stringify(withheld)).not.toContain('negative_feedback')
    // A later evaluation compares the ratings of this one, which its own config does not name.
    const evaluate = async (runId: string, more: object) => {
      const later = `${component}/evaluations/${await client.create(`${component}/evaluations`, { datasetId, runId, ...more })}`
      await until(async () => expect((await client.get(later)).body.status).toBe('completed'))
      return later
    }
    await evaluate(baseline.runId, { config: { evaluators } })
    const latency = { evaluators: evaluators.slice(1), baselineRunId: baseline.runId }
    const later = await evaluate(candidate.runId, { config: latency })
    const comparedFor = async (reader: typeof rater) =>
      namesIn(Object((await reader.get(later)).body.results).comparison.metrics)
    expect(await comparedFor(overseer)).toEqual(expect.arrayContaining(['people', 'latency']))
    expect(await comparedFor(rater)).not.toContain('people')
  })

  it('an evaluation of the same traces without the run withholds ratings from a rater, too', async () => {
    const { client, component, candidate, rater, overseer } = await ratedBlindly()
    const datasetId = await client.create(`${component}/datasets`, { name: 'The same', traceIds: candidate.traceIds })
    const config = { evaluators: [{ type: 'humanRating', name: 'people' }] }
    const at = `${component}/evaluations/${await client.create(`${component}/evaluations`, { datasetId, config })}`
    await until(async () => expect((await client.get(at)).body.status).toBe('completed'))
    expect((await overseer.list(`${at}/scores?state=scored`)).length).toBeGreaterThan(0)
    expect((await rater.list(`${at}/scores`)).filter(({ score }) => score !== null)).toEqual([])
    expect(Object((await rater.get(at)).body.results).metrics).toEqual([])
  })
})
