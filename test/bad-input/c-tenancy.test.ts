/** Section C of the list of bad input: path ids and tenancy. */
import { describe, expect, it } from 'vitest'
import { expectError, MAX_ID, NIL_ID } from '../conformance/answer-forms.ts'
import {
  type Chain,
  LISTS,
  OPERATIONS,
  pathOf,
  perform,
  SINGLES,
  seedChain,
  titled,
} from '../conformance/operations.ts'
import type { Answer } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'

/** Not ids, whatever else they are: each is 400. The pattern of the specification knows versions 1 to 8 and variants 8 to b. */
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

    it('45: the upper-case form of every id is the same object', async () => {
      const { client } = await app().newWorkspace()
      const ids = await seedChain(client)
      const upper: Chain = {
        component: ids.component.toUpperCase(),
        dataset: ids.dataset.toUpperCase(),
        run: ids.run.toUpperCase(),
        annotation: ids.annotation.toUpperCase(),
        evaluation: ids.evaluation.toUpperCase(),
      }
      for (const operation of OPERATIONS.filter(({ method, auth }) => method === 'GET' && auth !== 'session'))
        expect((await client.get(pathOf(operation, upper))).text).toBe((await client.get(pathOf(operation, ids))).text)
      const deletes = OPERATIONS.filter(({ method }) => method === 'DELETE').reverse()
      const statuses: number[] = []
      for (const operation of deletes) statuses.push((await perform(client, operation, upper)).status)
      expect(statuses).toEqual([204, 204, 204, 204])
    })

    describe.each(titled(SINGLES))('$title', ({ operation }) => {
      it('46, 48: nil, max and another workspace’s id are 404, byte for byte the same', async () => {
        const { client } = await app().newWorkspace()
        const other = await app().newWorkspace()
        const ids = await seedChain(client)
        const theirs = await seedChain(other.client)
        const [, last = ''] = /\{(\w+)Id\}$/.exec(operation.template) ?? []
        const absent = [NIL_ID, MAX_ID].map((id) => ({ ...ids, [last]: id }))
        const foreign = [theirs, { ...ids, [last]: Object(theirs)[last] }]
        const answers: Answer[] = []
        for (const chain of [...absent, ...foreign]) answers.push(await perform(client, operation, chain))
        for (const answer of answers) expectError(answer, 404)
        expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
        const here = await other.client.get(`/components/${theirs.component}/runs/${theirs.run}`)
        expect(here.status).toBe(200)
      })
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

    it('49, 50: what belongs to one component or run is 404 under another, all our own', async () => {
      const { client } = await app().newWorkspace()
      const x = await seedChain(client)
      const y = await seedChain(client)
      const mixed: [string, string][] = [
        ['GET', `/components/${y.component}/datasets/${x.dataset}`],
        ['DELETE', `/components/${y.component}/datasets/${x.dataset}`],
        ['GET', `/components/${y.component}/runs/${x.run}`],
        ['DELETE', `/components/${y.component}/runs/${x.run}`],
        ['GET', `/components/${y.component}/evaluations/${x.evaluation}`],
        ['DELETE', `/components/${y.component}/runs/${y.run}/annotations/${x.annotation}`],
        ['DELETE', `/components/${y.component}/runs/${x.run}/annotations/${x.annotation}`],
      ]
      for (const [method, path] of mixed) expectError(await client.send(method, path), 404)
      expect(await client.list(`/components/${x.component}/runs/${x.run}/annotations`)).toHaveLength(1)
      expect(await client.list(`/components/${x.component}/datasets`)).toHaveLength(1)
    })

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

    describe.each(titled(LISTS.filter(({ template }) => template.includes('{'))))('$title', ({ operation }) => {
      it('53: under a foreign or missing parent it is an empty list, byte for byte the same', async () => {
        const { client } = await app().newWorkspace()
        const other = await app().newWorkspace()
        const theirs = await seedChain(other.client)
        const missing = { component: NIL_ID, dataset: NIL_ID, run: MAX_ID, annotation: NIL_ID, evaluation: NIL_ID }
        for (const chain of [theirs, missing]) {
          const { status, text } = await perform(client, operation, chain)
          expect({ status, text }).toEqual({ status: 200, text: '{"data":[]}' })
        }
      })
    })

    it('54: what is below a component is 404 from the moment of its 204, while its rows are still there', async () => {
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
