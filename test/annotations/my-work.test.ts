import { expect, it } from 'vitest'
import { TIMESTAMP } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { randomOfTest } from '../harness/seeds.ts'
import { newRaters, type RatedRun, rate, rateAll, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

type Work = { remaining: number; disagreements: number; hasMore: boolean; data: Record<string, unknown>[] }

async function workOf(client: Client): Promise<Work> {
  const { status, body } = await client.get('/me/work')
  expect(status).toBe(200)
  return Object(body)
}

/** Another run of the same traces. */
async function addRun({ client, componentId, datasetId, traces }: RatedRun, name: string) {
  const traceIds = traces.map(({ traceId }) => traceId)
  const runId = await client.create(`/components/${componentId}/runs`, { datasetId, name, traceIds })
  return { runId, path: `/components/${componentId}/runs/${runId}` }
}

describeEachEngine('GET /me/work', (app) => {
  it('has the runs that are being rated, with the remaining traces of the caller, and no other runs', async () => {
    const seeded = await seedRatedRun(app(), 3)
    const { workspaceId, client, componentId, datasetId, runId, path, traces } = seeded
    await addRun(seeded, 'Not to be rated')
    const [ada, ben] = await raterPair(app(), workspaceId)
    expect(await workOf(ada.client)).toEqual({ remaining: 0, disagreements: 0, hasMore: false, data: [] })
    await rateAll(ben.client, path, traces.slice(0, 2))
    await rate(ada.client, path, traces[0]?.id ?? '', 'negative')
    expect(await workOf(ada.client)).toEqual({
      remaining: 2,
      disagreements: 1,
      hasMore: false,
      data: [
        {
          componentId,
          componentName: 'Rated',
          datasetId,
          datasetName: 'Rated',
          runId,
          runName: null,
          runCreatedAt: TIMESTAMP,
          reason: 'started',
          total: 3,
          rated: 1,
          remaining: 2,
          disagreements: 1,
          blind: false,
          ratersPerItem: null,
        },
      ],
    })
    await client.delete(`/components/${componentId}/runs/${runId}`)
    expect((await workOf(ada.client)).data).toEqual([])
  })

  it('lists first what the caller has begun, then what a policy requires, then what others rate, then disagreements', async () => {
    const seeded = await seedRatedRun(app(), 2)
    const { workspaceId, client, traces } = seeded
    const [ada, ben] = await raterPair(app(), workspaceId)
    const [begun, asked, open, split, done] = await Promise.all(
      ['begun', 'asked', 'open', 'split', 'done'].map((name) => addRun(seeded, name)),
    )
    if (!begun || !asked || !open || !split || !done) throw new Error('there are five')
    await rateAll(ada.client, done.path, traces)
    await rateAll(ada.client, split.path, traces)
    await rateAll(ben.client, split.path, traces, 'negative')
    await rate(ben.client, open.path, traces[0]?.id ?? '')
    await setPolicy(client, asked.path, { ratersPerItem: 1 })
    await rate(ada.client, begun.path, traces[1]?.id ?? '')
    const { data, remaining, disagreements } = await workOf(ada.client)
    expect(data.map(({ runName, reason, remaining: left }) => [runName, reason, left])).toEqual([
      ['begun', 'started', 1],
      ['asked', 'requested', 2],
      ['open', 'open', 2],
      ['split', 'disagreements', 0],
    ])
    expect([remaining, disagreements]).toEqual([5, 2])
  })

  it('counts only disagreements that are open: a resolved one is no work, and the run is not listed for it', async () => {
    const { workspaceId, client, path, traces } = await seedRatedRun(app(), 2)
    const [ada, ben] = await raterPair(app(), workspaceId)
    await rateAll(ada.client, path, traces)
    await rateAll(ben.client, path, traces, 'negative')
    const resolve = ({ id }: { id: string }) =>
      client.send('PUT', `${path}/disagreements/${id}/resolution`, { body: { rating: 'positive' } })
    const [first, second] = traces
    if (!first || !second) throw new Error('there are two')
    expect((await workOf(ada.client)).disagreements).toBe(2)
    expect((await resolve(first)).status).toBe(200)
    expect(await workOf(ada.client)).toMatchObject({ disagreements: 1, data: [{ disagreements: 1 }] })
    await resolve(second)
    expect(await workOf(ada.client)).toEqual({ remaining: 0, disagreements: 0, hasMore: false, data: [] })
  })

  it('counts only disagreements that the caller may know: in a blind run, those on traces that the caller has rated', async () => {
    const { workspaceId, client, path, traces } = await seedRatedRun(app(), 3)
    const [ada, ben] = await raterPair(app(), workspaceId)
    const [cleo] = await newRaters(app(), { workspaceId, count: 1 })
    const [admin] = await newRaters(app(), { workspaceId, count: 1, role: 'admin' })
    if (!cleo || !admin) throw new Error('there are two')
    await setPolicy(client, path, { blind: true })
    await rateAll(ada.client, path, traces)
    await rateAll(ben.client, path, traces, 'negative')
    const disagreementsFor = async (person: { client: Client }) => (await workOf(person.client)).data[0]?.disagreements
    expect(await disagreementsFor(cleo)).toBe(0)
    expect(await disagreementsFor(admin)).toBe(3)
    await rate(cleo.client, path, traces[0]?.id ?? '')
    await rate(admin.client, path, traces[1]?.id ?? '')
    expect(await disagreementsFor(cleo)).toBe(1)
    expect(await disagreementsFor(admin)).toBe(1)
    await setPolicy(client, path, { blind: false })
    expect(await disagreementsFor(cleo)).toBe(3)
  })

  it('has the same counts as the queue of each run, for any raters', async () => {
    const random = randomOfTest()
    const seeded = await seedRatedRun(app(), 5)
    const { workspaceId, client, traces } = seeded
    const raters = await newRaters(app(), { workspaceId, count: 3 })
    const runs = [seeded, await addRun(seeded, 'second'), await addRun(seeded, 'third')]
    for (const [place, { path }] of runs.entries()) {
      if (place > 0) await setPolicy(client, path, { ratersPerItem: place })
      for (let step = 0; step < 12; step += 1) {
        const rater = raters[random(raters.length)]
        // A trace that is not of the run may be rated, too, and one may be rated without a word.
        const trace = random(6) === 0 ? 'elsewhere' : (traces[random(traces.length)]?.id ?? '')
        const rating = ['positive', 'negative', ''][random(3)]
        await rater?.client.post(`${path}/annotations`, { traceDbId: trace, rating })
      }
    }
    for (const rater of raters) {
      const { data } = await workOf(rater.client)
      for (const { runId, path } of runs) {
        const { rated, remaining, total } = (await rater.client.get(`${path}/queue`)).body
        const found = data.find((run) => run.runId === runId)
        if (found) expect(found).toMatchObject({ rated, remaining, total })
        else expect(remaining).toBe(0)
      }
    }
  })

  it('has nothing of another application', async () => {
    const one = await seedRatedRun(app(), 1)
    const other = await seedRatedRun(app(), 1)
    await rateAll(one.client, one.path, one.traces)
    const [stranger] = await newRaters(app(), { workspaceId: other.workspaceId, count: 1 })
    expect((await workOf(stranger?.client ?? other.client)).data).toEqual([])
  })
})
