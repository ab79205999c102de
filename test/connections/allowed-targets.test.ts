import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

const PATH = '/instance/allowed-targets'
const CONNECTION = { name: 'Local', baseUrl: 'http://127.0.0.2:9/v1' }

async function adminOfAll(app: TestApp): Promise<Client> {
  const { workspaceId } = await app.newWorkspace()
  const rows = await app.storage.read.selectFrom('workspaces').select('id').execute()
  const person = await app.newPerson(rows.map(({ id }) => ({ workspaceId: id, role: 'admin' as const })))
  return app.asPerson(person, workspaceId)
}

describeEachEngine(
  PATH,
  (app) => {
    it('a private address works as soon as an admin of all applications allows it, and stops when it is removed', async () => {
      const admin = await adminOfAll(app())
      const rejected = await admin.post('/connections', CONNECTION)
      expectError(rejected, 400)
      expect(rejected.body.error).toMatch(/an admin of all applications can allow 127\.0\.0\.2:9 on the page Models/)
      const { status, body } = await admin.send('PUT', PATH, { body: { targets: ['127.0.0.2:9', '127.0.0.2:9'] } })
      expect({ status, body }).toEqual({ status: 200, body: { targets: ['127.0.0.2:9'], mayChange: true } })
      expect((await admin.get(PATH)).body).toEqual(body)
      const { body: connection } = await admin.post('/connections', CONNECTION)
      expect((await admin.post(`/connections/${connection.id}/test`, undefined)).body).toMatchObject({ ok: false })
      expect((await admin.send('PUT', PATH, { body: { targets: [] } })).body).toEqual({ targets: [], mayChange: true })
      const { body: tested } = await admin.post(`/connections/${connection.id}/test`, undefined)
      expect(JSON.stringify(tested)).toMatch(/is not on the public internet/)
      expect(await admin.list('/audit-log')).toMatchObject([
        { action: 'allowed-targets.changed', detail: 'none' },
        { action: 'connection.created' },
        { action: 'allowed-targets.changed', detail: '127.0.0.2:9' },
      ])
    })

    it('allows exactly the host and port that are named', async () => {
      const admin = await adminOfAll(app())
      await admin.send('PUT', PATH, { body: { targets: ['127.0.0.2:9'] } })
      for (const baseUrl of ['http://127.0.0.2:10/v1', 'http://127.0.0.3:9/v1'])
        expectError(await admin.post('/connections', { name: 'Other', baseUrl }), 400)
    })

    it.each([
      ['169.254.169.254:80', /Admins may not allow 169\.254\.169\.254:80\. .*TOUCHSTONE_ALLOWED_EGRESS/],
      ['metadata.google.internal:80', /is not allowed/],
      ['10.9.9.9', /must be a host and a port, such as localhost:11434/],
      ['user@127.0.0.1:80', /must be a host and a port/],
      ['127.0.0.1:99999', /must be a host and a port/],
    ])('rejects %s, which the setting does not permit or which is no address', async (target, message) => {
      const answer = await (await adminOfAll(app())).send('PUT', PATH, { body: { targets: [target] } })
      expectError(answer, 400)
      expect(answer.body.error).toMatch(message)
    })

    it('an admin of one application of several can neither see nor change what holds for all', async () => {
      const { workspaceId } = await app().newWorkspace()
      await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      await (await adminOfAll(app())).send('PUT', PATH, { body: { targets: ['127.0.0.2:8'] } })
      expect((await admin.get(PATH)).body).toEqual({ targets: [], mayChange: false })
      expectError(await admin.send('PUT', PATH, { body: { targets: ['127.0.0.2:9'] } }), 403)
    })
  },
  { environment: { TOUCHSTONE_ALLOWED_EGRESS: '' } },
)

describeEachEngine(
  `${PATH} without permission of the operator`,
  (app) => {
    it('allows nothing', async () => {
      const admin = await adminOfAll(app())
      const { status, body } = await admin.send('PUT', PATH, { body: { targets: ['127.0.0.2:9'] } })
      expect({ status, error: body.error }).toEqual({
        status: 400,
        error: expect.stringMatching(/Admins may not allow 127\.0\.0\.2:9\. The operator .*=127\.0\.0\.2:9/),
      })
      const rejected = await admin.post('/connections', CONNECTION)
      expect(rejected.body.error).toMatch(/The operator of this server can allow it/)
    })
  },
  { environment: { TOUCHSTONE_ALLOWED_EGRESS: '', TOUCHSTONE_ALLOWABLE_EGRESS: 'off' } },
)
