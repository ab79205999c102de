import { expect, it } from 'vitest'
import { insertTestOpening } from '../../src/datasets/splits/split-queries.ts'
import { readEvaluators } from '../../src/evaluators/read-evaluators.ts'
import { judgeWarnings } from '../../src/experiments/judge-warnings.ts'
import { rate, seedJudgements, seedRatedRun } from '../annotations/rated-run.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'
import {
  answerAtOnce,
  answerByRules,
  experimentBody,
  experimentsPath,
  experimentWith,
  isReflection,
  readExperiment,
  resultsOf,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

const NOW = '2026-01-01T00:00:00.000Z'

/** Five of 30 test items are gained each time, which is enough for one decision and not for three. */
async function seedFew(app: TestApp, { beforeTest = Promise.resolve() }: { beforeTest?: Promise<void> } = {}) {
  const ofTest = new Set<string>()
  const items = Array.from({ length: 60 }, (_, place) => ({
    input: JSON.stringify({ question: `${place % 6 === 0 ? 'a' : 'known '}${place}` }),
    expected: 'right',
  }))
  const answer = async (request: Parameters<typeof answerAtOnce>[0]) => {
    if (isReflection(request)) return answerAtOnce(request)
    if (ofTest.has(request.user)) await beforeTest
    return request.user.startsWith('a') ? answerByRules(request) : 'right'
  }
  const of = await seedExperiment(app, { items, answer })
  const path = `/components/${of.componentId}/datasets/${of.datasetId}/items`
  const stored = await of.client.list(`${path}?limit=100`)
  const ids = stored.map(({ id }) => String(id))
  for (const { input } of stored.slice(30)) ofTest.add(JSON.parse(String(input)).question)
  const parts = { train: ids.slice(0, 18), validation: ids.slice(18, 30), test: ids.slice(30) }
  for (const [split, own] of Object.entries(parts))
    expect((await of.client.post(`${path}/bulk`, { ids: own, set: { split } })).status).toBe(200)
  return of
}

describeEachEngine('a test split that has decided before', (app) => {
  it('corrects the verdict from the third time on, also if others have decided while the test ran, and says so', async () => {
    const opened = Promise.withResolvers<void>()
    const of = await seedFew(app(), { beforeTest: opened.promise })
    const { workspaceId, datasetId, client } = of
    const decide = (subject: string) =>
      app().storage.transaction((tx) => insertTestOpening(tx, { workspaceId, datasetId, subject, now: NOW }))
    await decide('evaluation:first')
    const { path } = await startExperiment(of)
    await waitFor('the test', async () => (await readExperiment(client, path)).phase === 'testing' || undefined)
    await decide('evaluation:second')
    opened.resolve()
    await experimentWith(client, path)
    const { verdict, summary, openings } = await resultsOf(client, path)
    expect({ verdict, openings }, String(summary)).toEqual({ verdict: 'noClearDifference', openings: 3 })
    expect(summary).toMatch(/corrected for 3 openings of the test split/)
    expect(summary).toMatch(/This test split has decided 3 times: its numbers become too good; add new test items/)
    const dry = await client.post(`${experimentsPath(of)}?dry_run=true`, experimentBody(of))
    expect(dry.body).toMatchObject({ openings: 3, summary: expect.stringMatching(/has decided 3 times before/) })
    const listed = await client.get(`/components/${of.componentId}/experiment-summaries`)
    expect(listed.body.splits).toMatchObject([{ datasetId, testItems: 30, openings: 3 }])
  })

  it('needs more evidence from the third experiment on', { tags: 'deep' }, async () => {
    const of = await seedFew(app())
    const verdicts: unknown[] = []
    for (const openings of [1, 2, 3]) {
      const { path: experiment } = await startExperiment(of, {
        splits: { train: 0.3, validation: 0.2, test: 0.5, seed: openings },
      })
      await experimentWith(of.client, experiment)
      const { verdict, summary, ...results } = await resultsOf(of.client, experiment)
      expect(results.openings).toBe(openings)
      expect(/corrected for 3 openings of the test split/.test(String(summary)), String(summary)).toBe(openings === 3)
      verdicts.push(verdict)
    }
    expect(verdicts).toEqual(['improved', 'improved', 'noClearDifference'])
  })

  it('a judge that agrees with people to less than κ = 0.4 is named, and one that agrees more is not', async () => {
    const run = await seedRatedRun(app(), 0)
    const cases = Array.from({ length: 40 }, (_, place) => ({ ref: `case ${place}`, isGood: place % 2 === 0, place }))
    for (const { ref, isGood } of cases) await rate(run.client, run.path, ref, isGood ? 'positive' : 'negative')
    const warnings = async (agreed: number) => {
      const judgements = cases.map(({ ref, isGood, place }) => ({ ref, passed: isGood === place < agreed }))
      await seedJudgements(app(), run, judgements)
      const [judge] = readEvaluators([{ type: 'llmJudge', name: 'judge', instructions: 'Is it good?', model: 'm' }])
      if (!judge) throw new Error('there is no judge')
      return judgeWarnings(app().storage.read, { ...run, evaluators: [judge] })
    }
    // 26 of 40 agree: κ = 0.3.
    expect(await warnings(26)).toEqual([
      'judge agrees with people only to κ = 0.30 (at least 0.4 is advised); improve its instructions first',
    ])
    expect(await warnings(36)).toEqual([])
  })
})
