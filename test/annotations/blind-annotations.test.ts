import { expect, it } from 'vitest'
import { browserWith, personWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ask, newRaters, type RatedRun, rate, rateAll, raterPair, seedRatedRun, setPolicy } from './rated-run.ts'

describeEachEngine('a run that is rated blindly', (app) => {
  /** Ann has rated both traces, and Ben the first one. */
  async function seedBlind() {
    const run = await seedRatedRun(app(), 2)
    const [ann, ben] = await raterPair(app(), run.workspaceId)
    await setPolicy(run.client, run.path, { blind: true })
    await rateAll(ann.client, run.path, run.traces, 'positive')
    await rateAll(ben.client, run.path, run.traces.slice(0, 1), 'negative')
    return { ...run, ann, ben }
  }

  /** Who is seen to have rated which trace, in every list of annotations. */
  async function seen(client: Client, { path, componentId, datasetId }: RatedRun) {
    const ofRun = await client.list(`${path}/annotations`)
    const ofDataset = await client.list(`/components/${componentId}/datasets/${datasetId}/annotations`)
    expect(ofDataset).toEqual(ofRun)
    return ofRun.map(({ userId, traceDbId }) => ({ userId, traceDbId }))
  }

  it('shows a rater the ratings of a trace only after the rater has rated it', async () => {
    const run = await seedBlind()
    const { ann, ben, path, traces } = run
    const [first, second] = traces.map(({ id }) => id)
    expect(await seen(ben.client, run)).toEqual([
      { userId: ben.userId, traceDbId: first },
      { userId: ann.userId, traceDbId: first },
    ])
    expect((await rate(ben.client, path, second ?? '')).status).toBe(201)
    expect(await seen(ben.client, run)).toHaveLength(4)
  })

  it('is not opened by a comment, nor by an empty rating', async () => {
    const run = await seedBlind()
    const { ben, path, traces } = run
    const traceDbId = traces[1]?.id ?? ''
    await ben.client.post(`${path}/annotations`, { traceDbId, comment: 'let me see' })
    await rate(ben.client, path, traceDbId, '')
    const others = (await seen(ben.client, run)).filter(({ userId }) => userId !== ben.userId)
    expect(others.map((other) => other.traceDbId)).toEqual([traces[0]?.id])
  })

  it.each(['viewer', 'annotator', 'editor'] as const)(
    'shows a person with the role %s nothing that others said',
    async (role) => {
      const run = await seedBlind()
      const session = await browserWith(app(), run.workspaceId, role)
      expect(await seen(session, run)).toEqual([])
      const [key] = await newRaters(app(), { workspaceId: run.workspaceId, count: 1, role })
      if (!key) throw new Error('there is one')
      expect(await seen(key.client, run)).toEqual([])
    },
  )

  it.each(['admin', 'owner'] as const)(
    'shows %ss and their keys everything, until they rate in it themselves',
    async (role) => {
      const run = await seedBlind()
      const session = await browserWith(app(), run.workspaceId, role)
      const [key] = await newRaters(app(), { workspaceId: run.workspaceId, count: 1, role })
      if (!key) throw new Error('there is one')
      for (const client of [session, key.client]) expect(await seen(client, run)).toHaveLength(3)
      for (const client of [session, key.client]) await rate(client, run.path, run.traces[1]?.id ?? '')
      // Two more have rated the second trace by now; of the first one nothing is seen.
      for (const client of [session, key.client]) {
        const traces = (await seen(client, run)).map(({ traceDbId }) => traceDbId)
        expect(traces).toEqual(Array.from({ length: 3 }, () => run.traces[1]?.id))
      }
    },
  )

  it('shows the same to a key and to its owner', async () => {
    const run = await seedBlind()
    const person = await personWith(app(), run.workspaceId, 'admin')
    const session = app().asPerson(person, run.workspaceId)
    const key = app().withKey(String((await session.post('/api-keys', { name: 'theirs' })).body.key))
    expect(await seen(key, run)).toHaveLength(3)
    await rate(session, run.path, run.traces[1]?.id ?? '')
    expect(await seen(key, run)).toHaveLength(2)
  })

  it('the queue and the agreement do not reveal what the lists withhold', async () => {
    const run = await seedBlind()
    const { ann, ben, path, traces, client, componentId, datasetId } = run
    const [cy] = await newRaters(app(), { workspaceId: run.workspaceId, count: 1 })
    if (!cy) throw new Error('there is one')
    const queued = await ask(cy.client, path)
    expect(queued.text).not.toContain(ann.userId)
    expect(queued.body.blind).toBe(true)
    for (const at of [path, `/components/${componentId}/datasets/${datasetId}`]) {
      const ofCy = (await cy.client.get(`${at}/agreement`)).body
      // Not even who, how many and with which words.
      const nothing = {
        raters: [],
        categories: [],
        items: 0,
        pairs: [],
        disagreements: [],
        disagreementsTotal: 0,
        judges: [],
      }
      expect(ofCy).toMatchObject(nothing)
      const ofBen = (await ben.client.get(`${at}/agreement`)).body
      const ratings = [
        { userId: ann.userId, rating: 'positive', comment: null },
        { userId: ben.userId, rating: 'negative', comment: null },
      ]
      expect(ofBen.disagreements).toEqual([{ traceDbId: traces[0]?.id, ratings }])
    }
    expect((await client.get(`${path}/agreement`)).body.disagreements).toHaveLength(1)
  })

  it('ends with the policy, and never affects other runs', async () => {
    const run = await seedBlind()
    const { client, componentId, datasetId, path, traces } = run
    const [cy] = await newRaters(app(), { workspaceId: run.workspaceId, count: 1 })
    if (!cy) throw new Error('there is one')
    const open = await client.create(`/components/${componentId}/runs`, { datasetId })
    await rate(client, `/components/${componentId}/runs/${open}`, traces[0]?.id ?? '')
    const lists = [`/components/${componentId}/runs/${open}`, `/components/${componentId}/datasets/${datasetId}`]
    for (const at of lists) expect(await cy.client.list(`${at}/annotations`)).toHaveLength(1)
    await setPolicy(client, path, { blind: false })
    expect(await cy.client.list(`${path}/annotations`)).toHaveLength(3)
  })
})
