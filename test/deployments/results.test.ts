import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { evaluate, runAndEvaluate, runVersion, seedDeployment } from './seed-deployment.ts'

describeEachEngine('GET …/prompts/{promptId}/results', (app) => {
  it('has the newest evaluated run of each version, and what changed in the dataset between them', async () => {
    const seeded = await seedDeployment(app())
    const { client, path, datasetId, dataset, itemIds } = seeded
    const results = async (query = '') => client.get(`${path}/results?datasetId=${datasetId}${query}`)
    expect((await results()).body).toEqual({
      dataset: { id: datasetId, name: 'Questions' },
      metric: null,
      metrics: [],
      scale: null,
      higherIsBetter: true,
      data: [],
      nextCursor: null,
    })
    const one = await runAndEvaluate(seeded, 1, { wrong: (place) => place < 30 })
    await runAndEvaluate(seeded, 2, { name: 'old' })
    const two = await runAndEvaluate(seeded, 2, {
      wrong: (place) => place < 15,
      measured: (place) => ({
        ...(place < 20 && { costUsd: place < 10 ? 0.02 : 0.01 }),
        seconds: place % 2 === 0 ? 2 : 50,
      }),
    })
    await runAndEvaluate(seeded, 2, { name: 'mixed', named: (place) => (place > 0 ? 'answer@2' : 'answer@1') })
    await runVersion(seeded, 2, { name: 'not evaluated' })
    for (const place of [0, 1, 2])
      await client.send('PATCH', `${dataset}/items/${itemIds[place]}`, { body: { expected: 'no' } })
    await client.delete(`${dataset}/items/${itemIds[59]}`)
    const added = await client.create(`${dataset}/items`, { input: 'new', expected: 'yes' })
    const three = await runAndEvaluate(seeded, 3, { itemIds: [...itemIds.slice(0, 59), added] })
    const { status, text, body } = await results()
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ metric: 'right', metrics: ['right'], scale: [0, 1], higherIsBetter: true })
    expect(body.data).toMatchObject([
      {
        version: 3,
        ...three,
        runName: 'v3',
        mean: 0.95,
        n: 60,
        items: 60,
        changed: {
          version: 2,
          edited: 3,
          added: 1,
          removed: 1,
          summary: '3 items were edited, 1 was added and 1 was deleted between the two evaluations.',
        },
      },
      {
        ...{ version: 2, ...two, mean: 0.75, n: 60, items: 60, changed: null },
        cost: { meanUsd: expect.closeTo(0.015, 9), n: 20 },
        duration: { medianMs: 2_000, n: 60 },
      },
      { version: 1, ...one, mean: 0.5, n: 60, items: 60, changed: null, cost: { meanUsd: null, n: 0 } },
    ])
    const first = await results('&limit=2')
    expect(first.body.data).toMatchObject([{ version: 3 }, { version: 2 }])
    const rest = await results(`&limit=2&cursor=${first.body.nextCursor}`)
    expect(rest.body).toMatchObject({ data: [{ version: 1 }], nextCursor: null })
    // Evaluated again, the older version was judged by the same items.
    await evaluate(seeded, two.runId)
    expect((await results()).body.data).toMatchObject([{ changed: null }, {}, {}])
    expectError(
      await results('&metric=wrong'),
      400,
      'No evaluated run of a version has the metric wrong on dataset Questions. Choose one of right',
    )
  })

  it('is empty before the first evaluation, also for the metric of a gate', async () => {
    const { client, path, datasetId } = await seedDeployment(app())
    const { status, body } = await client.get(`${path}/results?datasetId=${datasetId}&metric=right`)
    expect([status, body.metric, body.metrics, body.data]).toEqual([200, null, [], []])
  })

  it('rejects a dataset that is missing or of another component', async () => {
    const seeded = await seedDeployment(app())
    const other = await seedDeployment(app())
    for (const id of [other.datasetId, seeded.promptId])
      expectError(await seeded.client.get(`${seeded.path}/results?datasetId=${id}`), 404, 'Dataset not found')
    expectError(await seeded.client.get(`${seeded.path}/results`), 400, /datasetId/)
  })
})
