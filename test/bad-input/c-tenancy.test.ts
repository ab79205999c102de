/** Section C of the list of bad input: path ids and tenancy. */
import { describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { OPERATIONS, pathOf, perform, seedChain, titled } from '../conformance/operations.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'

/** Invalid ids: each is 400. The pattern of the specification allows versions 1 to 8 and variants 8 to b. */
const NO_IDS = [
  'not-a-uuid',
  'a'.repeat(200),
  '01890a5d-ac96-074b-bcce-b302099a8057',
  '01890a5d-ac96-974b-bcce-b302099a8057',
  '01890a5d-ac96-774b-ccce-b302099a8057',
  '01890a5d-ac96-774b-7cce-b302099a8057',
  'urn:uuid:01890a5d-ac96-774b-bcce-b302099a8057',
  '{01890a5d-ac96-774b-bcce-b302099a8057}',
  '01890a5dac96774bbcceb302099a8057',
  '01890a5d-ac96-774b-bcce-b302099a805',
  '01890a5d-ac96-774b-bcce-b302099a80577',
  '01890a5d-ac96-774b-bcce-b302099a805g',
  '00000000-0000-0000-0000-000000000001',
  'ffffffff-ffff-ffff-ffff-fffffffffffe',
  "1' or '1'='1",
  '01890a5d-ac96-774b-bcce-b302099a8057%0A',
]

describeEachEngine(
  'C. Path ids and tenancy',
  (app) => {
    const PARAMETERS = ['componentId', 'datasetId', 'runId', 'annotationId'] as const

    it.each(PARAMETERS)('43, 44: a %s that is no UUID is 400 and is named', async (parameter) => {
      const { client } = await app().newWorkspace()
      const ids = await seedChain(client)
      const kind = parameter.replace('Id', '')
      const taking = OPERATIONS.filter(({ template }) => template.endsWith(`{${parameter}}`))
      expect(taking.length).toBeGreaterThan(0)
      for (const operation of taking)
        for (const id of NO_IDS) {
          const broken = { ...ids, [kind]: id.includes('%0A') ? id : encodeURIComponent(id) }
          expectError(await perform(client, operation, broken), 400, new RegExp(`${parameter}.*UUID`))
        }
    })

    it.each(['%00', '%2F', '..%2f..%2fetc', '%2e%2e', '..', '%252e', '%5C', '%E2%80%AE', '*', '%20', '~', '$where'])(
      '47: the id %s is 400 or 404 on every path',
      async (id) => {
        const { client, key } = await app().newWorkspace()
        const ids = await seedChain(client)
        for (const operation of OPERATIONS.filter(({ template }) => template.includes('{')))
          for (const kind of ['component', 'dataset', 'run', 'annotation']) {
            if (!operation.template.includes(`{${kind}Id}`)) continue
            const path = `/api/v1${pathOf(operation, { ...ids, [kind]: id })}`
            const headers = ['Host: localhost', `Authorization: Bearer ${key}`, 'Connection: close']
            const answer = await sendRaw(app().url, rawRequest(`${operation.method} ${path}`, headers))
            expect([400, 404, 405], path).toContain(answer.status)
            expectError(answer, answer.status)
          }
        expect((await client.get(`/components/${ids.component}`)).status).toBe(200)
      },
    )

    const deletes = OPERATIONS.filter(({ method }) => method === 'DELETE')
    describe.each(titled(deletes))('$title', ({ operation }) => {
      it('51, 52: twice is 204 then 404; at once one of them is 204 and all others are 404', async () => {
        const { client } = await app().newWorkspace()
        const ids = await seedChain(client)
        const statuses = (await Promise.all(Array.from({ length: 8 }, () => perform(client, operation, ids)))).map(
          ({ status }) => status,
        )
        expect(statuses.sort()).toEqual([204, 404, 404, 404, 404, 404, 404, 404])
        expectError(await perform(client, operation, ids), 404)
      })
    })

    it('54: resources below a component are 404 at once after its 204, while its rows still exist', async () => {
      const { client } = await app().newWorkspace()
      const ids = await seedChain(client)
      const below = `/components/${ids.component}`
      expect((await client.delete(below)).status).toBe(204)
      const paths = [`/datasets/${ids.dataset}`, `/runs/${ids.run}`, `/evaluations/${ids.evaluation}`]
      for (const path of ['', ...paths]) expectError(await client.get(`${below}${path}`), 404)
      expectError(await client.post(`${below}/datasets`, { name: 'a' }), 404)
      expectError(await client.post(`${below}/runs`, { datasetId: ids.dataset }), 404)
      expectError(await client.post(`${below}/evaluations`, { datasetId: ids.dataset }), 404)
      expectError(await client.post(`${below}/runs/${ids.run}/annotations`, { traceDbId: 't' }), 404)
    })
  },
  { works: false },
)
