/** What the pages of experiments read: the list with verdicts and test splits, the course of a search, one proposal, and its events. */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { Row } from '../playground/trying.ts'
import {
  answerAtOnce,
  createExperiment,
  experimentBody,
  experimentsPath,
  experimentWith,
  iterationsOf,
  ruleItems,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

const TEXT = 'The Alder frame came in two parcels and one slat is broken. How do I send it back?'
const OTHER_TEXT = 'Do I get the delivery fee back if I return everything that I have ordered'

function asking(question: string, split: string | null): Row {
  return { input: JSON.stringify({ question }), expected: 'right', ...(split && { split }) }
}

describeEachEngine('the pages of experiments', (app) => {
  it('read a finished search, its proposals, its verdict and its openings', async () => {
    const of = await seedExperiment(app(), { answer: answerAtOnce })
    const { client, componentId, promptId, datasetId, path: promptPath } = of
    const waiting = await createExperiment(of, { name: 'waits' })
    const { id, path } = await startExperiment(of, { name: 'at once' })
    await experimentWith(client, path)
    const course = await client.get(`${path}/course`)
    expect(course.status, course.text).toBe(200)
    expect(course.body).toMatchObject({ metric: 'correct', items: 12 })
    const { data: points }: { data?: Row[] } = course.body
    expect(points?.[0]).toMatchObject({ number: 0, parent: null, mean: 0, answered: 12, sample: null, title: null })
    const best = points?.find(({ state }) => state === 'finalist')
    expect(best).toMatchObject({
      parent: 0,
      mean: 1,
      front: 12,
      title: 'a rule is missing',
      ci: [expect.any(Number), 1],
    })
    expect(best?.sample).toMatchObject({ own: Object(best?.sample).items, parent: 0 })
    expect(course.body.expected).toMatchObject([{ number: best?.number, difference: 1 }])

    const one = await client.get(`${path}/iterations/${best?.number}?against=parent`)
    expect(one.body, one.text).toMatchObject({
      against: 0,
      diagnosis: 'a rule is missing',
      scores: [{ metric: 'correct', items: 12, before: 0, after: 1 }],
      changes: { better: 12, worse: 0, same: 0 },
    })
    expect(Object(one.body.changes).data[0]).toMatchObject({ question: expect.stringMatching(/^[a-f]\d+$/), after: 1 })
    expect((await client.get(`${path}/iterations/999`)).status).toBe(404)

    const list = await client.get(`/components/${componentId}/experiment-summaries`)
    expect(list.body.data, list.text).toMatchObject([
      {
        id,
        status: 'completed',
        metric: 'correct',
        prompt: { id: promptId, version: of.version },
        validation: { start: 0, startCi: [0, expect.any(Number)], best: { mean: 1 } },
        result: { verdict: 'improved', difference: 1, items: 30, version: Object(best).version },
      },
      { id: waiting.id, status: 'pending', proposals: 0, validation: null, result: null },
    ])
    expect(list.body.splits).toEqual([
      { datasetId, name: expect.any(String), testItems: 30, openings: 1, earlierOpenings: 0 },
    ])
    const first = await client.get(`/components/${componentId}/experiment-summaries?limit=1`)
    const rest = await client.get(`/components/${componentId}/experiment-summaries?cursor=${first.body.nextCursor}`)
    expect(rest.body.data).toMatchObject([{ id: waiting.id }])

    const events = await client.get(`${path}/events`)
    expect(events.text).toMatch(/^event: progress\ndata: .*"status":"completed".*\n\nevent: end\n/)
    expect((await client.get(`${promptPath}/versions/${Object(best).version}`)).status).toBe(200)
  })

  it('save a proposal that was not tested as a version, once', { tags: 'deep' }, async () => {
    const of = await seedExperiment(app())
    const { client, promptId, path: promptPath } = of
    const { id, path } = await startExperiment(of)
    await experimentWith(client, path)
    const other = (await iterationsOf(client, path)).find((row) => row.state === 'validated' && row.number !== 0)
    const save = () => client.post(`${path}/iterations/${other?.number}/version`, undefined)
    const saved = await save()
    expect(saved.status, saved.text).toBe(201)
    expect(await save()).toMatchObject({ status: 200, body: saved.body })
    const version = await client.get(`${promptPath}/versions/${saved.body.version}`)
    expect(version.body).toMatchObject({ source: { kind: 'experiment', id }, content: { messages: other?.messages } })
    expect(await iterationsOf(client, path)).toContainEqual(
      expect.objectContaining({ number: other?.number, ...{ version: saved.body.version } }),
    )
    expect(saved.body.promptId).toBe(promptId)
    expect((await client.post(`${path}/iterations/0/version`, undefined)).status).toBe(409)
    // What the experiment has found is still the proposal that was tested.
    const finalist = (await iterationsOf(client, path)).find(({ state }) => state === 'finalist')
    const deployment = `/components/${of.componentId}/deployment`
    expect((await client.post(deployment, { experimentId: id })).status).toBe(201)
    expect((await client.get(`${deployment}/prompt`)).body).toMatchObject({ iterationId: finalist?.number })
  })

  it('show the texts of items that are nearly the same', async () => {
    const inBoth = [asking(TEXT, 'train'), asking(`${TEXT}!!`, 'test')]
    const drawn = [asking(OTHER_TEXT, null), asking(`${OTHER_TEXT}?`, null)]
    const of = await seedExperiment(app(), { items: [...ruleItems(60), ...inBoth, ...drawn] })
    const dry = await of.client.post(`${experimentsPath(of)}?dry_run=true`, experimentBody(of))
    expect(dry.body, dry.text).toMatchObject({
      leaks: [
        {
          splits: ['train', 'test'],
          pairs: 1,
          examples: [
            {
              items: [
                { question: TEXT, split: 'train' },
                { question: `${TEXT}!!`, split: 'test' },
              ],
            },
          ],
        },
      ],
      together: { pairs: 1, examples: [{ items: [{ question: OTHER_TEXT }, { question: `${OTHER_TEXT}?` }] }] },
    })
    const [pair] = Object(dry.body.together).examples
    expect(new Set(pair.items.map(({ split }: Row) => split)).size).toBe(1)
  })
})
