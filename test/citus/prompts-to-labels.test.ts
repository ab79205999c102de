/** Prompts, trials, experiments and labels on a cluster: rows of many tables by workspace, written by jobs and requests at the same time. */
import { expect, it } from 'vitest'
import { TABLE_PLACEMENTS } from '../../src/storage/table-placements.ts'
import { answerAtOnce, experimentWith, seedExperiment, startExperiment } from '../experiments/seed-experiment.ts'
import { runSql } from '../harness/citus-stand-in.ts'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { move, saveTexts, seedPrompt } from '../prompts/seed-prompt.ts'
import { seedPromptTrials, startTrial, trialWith, version } from '../trials/seed-trial.ts'

it('each table is where its placement says', async () => {
  const { url } = await createTestDatabase('postgres', 'migrated')
  const { rows } = await runSql(
    url,
    `select logicalrelid::text as name, case when partmethod = 'h' then 'by workspace' when repmodel = 't' then 'every node' end as place
      from pg_dist_partition`,
  )
  // The cluster knows local tables, too, if one of the others refers to them.
  const placed = new Map(rows.map(({ name, place }) => [String(name), place ?? 'coordinator']))
  const actual = Object.keys(TABLE_PLACEMENTS).map((name) => [name, placed.get(name) ?? 'coordinator'])
  expect(Object.fromEntries(actual)).toEqual(TABLE_PLACEMENTS)
})

describeEachEngine('on a cluster', (app) => {
  it('a trial runs to its end, with evaluations', async () => {
    const of = await seedPromptTrials(app(), { items: 12 })
    const variants = [version(of.promptId, 1), version(of.promptId, 2)]
    const evaluation = { config: { evaluators: [{ type: 'exactMatch' }] } }
    const { path } = await startTrial(of, { variants, evaluation, repetitions: 2 })
    const trial = await trialWith(of.client, path)
    expect(trial).toMatchObject({ status: 'completed', progress: { total: 48, done: 48, failed: 0 } })
    expect((await of.client.get(`${path}/matrix`)).status).toBe(200)
    expect((await of.client.delete(path)).status).toBe(204)
  })

  it('an experiment runs to its end', async () => {
    const of = await seedExperiment(app(), { answer: answerAtOnce })
    const { path } = await startExperiment(of, { budget: { maxCalls: 300 } })
    expect(await experimentWith(of.client, path)).toMatchObject({ status: 'completed', error: null })
  })

  it('labels are moved at the same time, each move once, and the prompt is served meanwhile', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 20)
    const numbers = Array.from({ length: 20 }, (_, place) => place + 1)
    await move(prompt, 'production', 1)
    const [moved, read] = await Promise.all([
      Promise.all(numbers.map((number) => move(prompt, 'production', number))),
      Promise.all(numbers.map(() => prompt.client.get(prompt.served))),
    ])
    expect([...moved, ...read].filter(({ status }) => status !== 200)).toEqual([])
    const changes = moved.map((answer) => Number(answer.body.change)).toSorted((a, b) => a - b)
    // A move to the version that is served already changes nothing, and returns the change that did.
    expect(new Set(changes).size).toBeGreaterThanOrEqual(numbers.length - 1)
    const last = (await prompt.client.get(prompt.served)).body
    expect(last.change).toBe(changes.at(-1))
  })
})
