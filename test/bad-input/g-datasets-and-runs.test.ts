/** Section G of the list of bad input: datasets and runs. */
import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'

describeEachEngine(
  'G. Datasets and runs',
  (app) => {
    async function seed() {
      const { client, key } = await app().newWorkspace()
      const component = await client.create('/components', { name: 'a' })
      const below = `/components/${component}`
      const datasetId = await client.create(`${below}/datasets`, { name: 'seeded' })
      return { client, key, component, below, datasetId }
    }

    describe.each([
      { kind: 'datasets', count: 'itemCount' },
      { kind: 'runs', count: 'traceCount' },
    ])('POST …/$kind', ({ kind, count }) => {
      const bodyFor = (datasetId: string) => (kind === 'runs' ? { datasetId } : { name: 'a' })

      it('94: traceIds that are no list of texts are 400 and are named', async () => {
        const { client, below, datasetId } = await seed()
        const wrong: unknown[] = ['x', 5, {}, null, true, [1], [null], [[]], [''], [{}], ['a', 5], ['a'.repeat(129)]]
        const before = await client.list(`${below}/${kind}`)
        for (const traceIds of wrong)
          expectError(await client.post(`${below}/${kind}`, { ...bodyFor(datasetId), traceIds }), 400, /traceIds/)
        expect(await client.list(`${below}/${kind}`)).toEqual(before)
      })

      it('95, 98, 99: an empty list counts 0, the same id five times 1, and an id of no trace is kept', async () => {
        const { client, below, datasetId } = await seed()
        const post = async (traceIds: string[]) => {
          const { status, body } = await client.post(`${below}/${kind}`, { ...bodyFor(datasetId), traceIds })
          return [status, body[count]]
        }
        expect(await post([])).toEqual([201, 0])
        expect(await post(new Array(5).fill('same'))).toEqual([201, 1])
        expect(await post([ABSENT_ID, 'f'.repeat(32), '😀'.repeat(128), ' ', "'--"])).toEqual([201, 5])
      })

      it('96, 105: 10,000 ids are 201 and all counted, 10,001 are 400', async () => {
        const { client, below, datasetId } = await seed()
        const ids = Array.from({ length: 10_001 }, (_, place) => `trace-${place}`)
        const path = `${below}/${kind}`
        expectError(await client.post(path, { ...bodyFor(datasetId), traceIds: ids }), 400, /traceIds/)
        const { status, body } = await client.post(path, { ...bodyFor(datasetId), traceIds: ids.slice(1) })
        expect(status).toBe(201)
        expect(body[count]).toBe(10_000)
        expect((await client.get(`${path}/${body.id}`)).body[count]).toBe(10_000)
      })

      it('97: a million ids are 413 before they are read', async () => {
        const { client, key, below } = await seed()
        const headers = ['Host: localhost', `Authorization: Bearer ${key}`, 'Content-Type: application/json']
        const announced = [...headers, 'Content-Length: 35000000']
        const before = await client.list(`${below}/${kind}`)
        expectError(
          await sendRaw(app().url, rawRequest(`POST /api/v1${below}/${kind}`, announced, '{"traceIds":[')),
          413,
        )
        expect(await client.list(`${below}/${kind}`)).toEqual(before)
      })
    })

    it('100: a trace id that another workspace uses too shows nothing of that workspace', async () => {
      const mine = await seed()
      const other = await seed()
      const theirRun = await other.client.create(`${other.below}/runs`, { datasetId: other.datasetId, traceIds: ['t'] })
      await other.client.create(`${other.below}/runs/${theirRun}/annotations`, { traceDbId: 't', comment: 'secret' })
      const { body } = await mine.client.post(`${mine.below}/datasets`, { name: 'a', traceIds: ['t'] })
      const unknown = await mine.client.post(`${mine.below}/datasets`, { name: 'a', traceIds: ['unknown'] })
      expect(body.itemCount).toBe(unknown.body.itemCount)
      expect((await mine.client.get(`${mine.below}/datasets/${body.id}/annotations`)).text).toBe('{"data":[]}')
    })

    it('101: a datasetId that is missing or no UUID is 400 and is named', async () => {
      const { client, below } = await seed()
      for (const datasetId of [undefined, 'x', null, 5, '', [], {}, '{01890a5d-ac96-774b-bcce-b302099a8057}'])
        expectError(await client.post(`${below}/runs`, { datasetId }), 400, /datasetId/)
      expect(await client.list(`${below}/runs`)).toEqual([])
    })

    it('102: a datasetId that is unknown, foreign or of another component is 404, byte for byte', async () => {
      const { client, below } = await seed()
      const other = await seed()
      const sibling = await client.create('/components', { name: 'sibling' })
      const siblings = await client.create(`/components/${sibling}/datasets`, { name: 'a' })
      const gone = await client.create(`${below}/datasets`, { name: 'gone' })
      await client.delete(`${below}/datasets/${gone}`)
      for (const datasetId of [ABSENT_ID, other.datasetId, siblings, gone])
        expectError(await client.post(`${below}/runs`, { datasetId }), 404, 'Dataset not found')
      expect(await client.list(`${below}/runs`)).toEqual([])
    })

    it('103: a run’s name may be absent, which is null, but not null itself', async () => {
      const { client, below, datasetId } = await seed()
      for (const name of [null, 5, [], 'x'.repeat(501)])
        expectError(await client.post(`${below}/runs`, { datasetId, name }), 400, /name/)
      expect((await client.post(`${below}/runs`, { datasetId })).body.name).toBeNull()
      expect(await client.list(`${below}/runs`)).toHaveLength(1)
    })

    it('104: runs created while their dataset is deleted are 201 or 404, and none has a missing dataset', async () => {
      const { client, below, datasetId } = await seed()
      const post = () => client.post(`${below}/runs`, { datasetId, traceIds: ['t'] })
      const posts = Array.from({ length: 6 }, post)
      const deleted = client.delete(`${below}/datasets/${datasetId}`)
      const more = Array.from({ length: 6 }, post)
      expect((await deleted).status).toBe(204)
      for (const { status } of await Promise.all([...posts, ...more])) expect([201, 404]).toContain(status)
      expectError(await post(), 404, 'Dataset not found')
      expect(await client.list(`${below}/runs`)).toEqual([])
    })
  },
  { works: false },
)
