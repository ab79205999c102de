import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { Row } from '../playground/trying.ts'
import {
  createExperiment,
  experimentBody,
  experimentsPath,
  experimentWith,
  isReflection,
  iterationsOf,
  resultsOf,
  seedExperiment,
} from './seed-experiment.ts'

describeEachEngine('experiments', (app) => {
  it('find the rules of a dataset, and show them on test items that nothing has read before', async () => {
    const of = await seedExperiment(app())
    const { client, componentId, datasetId, promptId, path: promptPath, server } = of
    const dry = await client.post(`${experimentsPath(of)}?dry_run=true`, experimentBody(of))
    expect(dry.status, dry.text).toBe(200)
    expect(dry.body).toMatchObject({
      items: { train: 18, validation: 12, test: 30 },
      drawn: 60,
      leaks: [],
      openings: 0,
    })
    expect(await client.list(`/components/${componentId}/datasets/${datasetId}/items?limit=100`)).toEqual(
      expect.arrayContaining([expect.objectContaining({ split: null })]),
    )
    const { path, body } = await createExperiment(of, { name: 'rules' })
    expect(body).toMatchObject({ status: 'pending', items: { train: 18, validation: 12, test: 30 } })
    const nothing = { verdict: null, summary: 'The experiment is pending: it has no verdict yet.', test: null }
    expect(await resultsOf(client, path)).toMatchObject(nothing)
    expect(server.requests).toHaveLength(0)
    expect((await client.post(`${path}/start`, undefined)).status).toBe(202)
    const ended = await experimentWith(client, path)
    expect(ended, JSON.stringify(ended)).toMatchObject({
      status: 'completed',
      endedBy: 'nothingToImprove',
      reason: 'The best prompt answers all validation items as well as possible',
      error: null,
      validation: { items: 12, start: 0, best: { mean: 1 } },
    })
    const results = await resultsOf(client, path)
    expect(results).toMatchObject({ optimizer: 'gepa', verdict: 'improved', openings: 1 })
    const [finalist]: Row[] = Object(results.test).finalists
    expect(finalist).toMatchObject({ comparison: { verdict: 'improved', difference: 1 } })
    const saved = await client.get(`${promptPath}/versions/${finalist?.version}`)
    expect(saved.body).toMatchObject({ source: { kind: 'experiment' }, labels: [] })
    for (const rule of ['(a)', '(b)', '(c)', '(d)', '(e)', '(f)'])
      expect(JSON.stringify(saved.body.content)).toContain(rule)
    // The test is an ordinary comparison of two runs.
    const query = `baseline=${Object(results.test).baselineRunId}&candidate=${finalist?.runId}`
    const compared = await client.get(`/components/${componentId}/comparisons?${query}&split=test`)
    expect(compared.status, compared.text).toBe(200)
    const openings = await client.list(`/components/${componentId}/datasets/${datasetId}/test-openings`)
    expect(openings).toMatchObject([{ trialId: Object(results.test).trialId }])
    const items = await client.list(`/components/${componentId}/datasets/${datasetId}/items?limit=100`)
    const textsIn = (split: string) =>
      items.filter((item) => item.split === split).map(({ input }) => String(JSON.parse(String(input)).question))
    const reflections = server.requests.filter(isReflection)
    expect(reflections.length).toBeGreaterThan(5)
    for (const text of [...textsIn('test'), ...textsIn('validation')])
      for (const { user } of reflections) expect(user).not.toContain(`\\"${text}\\"`)
    expect(textsIn('train').some((text) => reflections.some(({ user }) => user.includes(`\\"${text}\\"`)))).toBe(true)
    const beforeTest = server.requests.findLastIndex(isReflection)
    for (const { user } of server.requests.slice(0, beforeTest)) expect(textsIn('test')).not.toContain(user)
    const rows = await iterationsOf(client, path, '&include=fate,parents,scores')
    expect(rows[0]).toMatchObject({ number: 0, state: 'validated', parents: [], mean: 0 })
    expect(rows.filter(({ state }) => state === 'finalist')).toHaveLength(1)
    expect(promptId).toBe(ended.promptId)
  })
})
