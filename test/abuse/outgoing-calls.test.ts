/** One application makes the server wait for the outside; another one writes meanwhile and must not notice. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type ModelServer, startModelServer } from '../harness/model-server.ts'
import { waitFor } from '../harness/server-process.ts'

const HANGING = 20
const WRITES = 20

describeEachEngine(
  'calls to a provider that never responds, each with an Idempotency-Key',
  (app) => {
    let model: ModelServer
    beforeAll(async () => {
      model = await startModelServer({ misbehaviour: () => 'hang' })
    })
    afterAll(() => model.close())

    it('leave every write of another application to be served while they wait', async () => {
      const attacker = await app().newWorkspace()
      const admin = await browserWith(app(), attacker.workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Hangs', baseUrl: model.baseUrl })
      const bystander = await app().newWorkspace()
      const calls = Array.from({ length: HANGING }, (_, place) =>
        admin.post(`/connections/${id}/test`, undefined, { 'idempotency-key': `hang ${place}` }),
      )
      await waitFor('all calls to wait for the provider', async () => model.requests.length === HANGING || undefined)
      let served = 0
      for (let write = 0; write < WRITES; write += 1) {
        const { status } = await bystander.client.post('/components', { name: `Component ${write}` })
        if (status === 201) served += 1
      }
      expect(served).toBe(WRITES)
      // Not one of the calls has ended: the writes did not wait for them.
      expect(model.socketsOpen).toBe(HANGING)
      await model.close()
      for (const { status, body } of await Promise.all(calls)) {
        expect([status, body.ok]).toEqual([200, false])
      }
    })
  },
  { works: false },
)

describeEachEngine(
  'a connection test with an Idempotency-Key',
  (app) => {
    let model: ModelServer
    beforeAll(async () => {
      model = await startModelServer()
    })
    afterAll(() => model.close())

    it('calls the provider once, and returns the first response again', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Judge', baseUrl: model.baseUrl })
      const test = () => admin.post(`/connections/${id}/test`, undefined, { 'idempotency-key': 'once' })
      const first = await test()
      const second = await test()
      expect(first.body).toMatchObject({ ok: true })
      expect([second.status, second.text]).toEqual([first.status, first.text])
      expect(model.requests).toHaveLength(1)
    })

    it('is 409 while the first one is running', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const id = await admin.create('/connections', { name: 'Judge', baseUrl: model.baseUrl })
      const before = model.requests.length
      model.misbehave('hang')
      const test = () => admin.post(`/connections/${id}/test`, undefined, { 'idempotency-key': 'running' })
      const first = test()
      await waitFor('the provider to be asked', async () => model.requests.length > before || undefined)
      expect((await test()).status).toBe(409)
      await model.close()
      expect((await first).status).toBe(200)
    })
  },
  { works: false },
)
