import { expect, it } from 'vitest'
import { resetSecondFactor } from '../../src/auth/accounts/manage-accounts.ts'
import { idGenerator, NIL_ID } from '../../src/base/ids.ts'
import type { Role } from '../../src/base/principal.ts'
import { expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { totpCode } from '../harness/totp.ts'

const PATH = '/security-settings'
const NEEDED = 'This application requires a second factor; turn one on in your account, under Second factor'

describeEachEngine('a required second factor', (app) => {
  /** A member, and how to turn on a second factor, which replaces the session. */
  async function memberOf(workspaceId: string, role: Role) {
    const person = await app().newPerson([{ workspaceId, role }])
    const client = app().asPerson(person, workspaceId)
    async function turnOn(): Promise<Client> {
      const { body } = await client.post('/api/auth/two-factor/enable', { password: PASSWORD })
      const code = totpCode(String(body.totpUri), Date.now())
      const { headers, status } = await client.post('/api/auth/two-factor/confirm', { code })
      expect(status).toBe(200)
      const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
      return app().asPerson({ ...person, cookie }, workspaceId)
    }
    return { person, client, turnOn }
  }

  async function strictApplication() {
    const { workspaceId } = await app().newWorkspace('Strict')
    const first = await memberOf(workspaceId, 'admin')
    const admin = await first.turnOn()
    const editor = await memberOf(workspaceId, 'editor')
    const created = await editor.client.post('/api-keys', { name: 'own' })
    const require = (requiresSecondFactor: boolean) => admin.patch(PATH, { requiresSecondFactor })
    return { workspaceId, admin, editor, key: app().withKey(String(created.body.key)), require }
  }

  it('needs an admin who has one', async () => {
    const { workspaceId } = await app().newWorkspace()
    const { client, turnOn } = await memberOf(workspaceId, 'admin')
    expectError(await client.patch(PATH, { requiresSecondFactor: true }), 409)
    const admin = await turnOn()
    expect((await admin.get(PATH)).body).toEqual({ requiresSecondFactor: false, membersWithoutSecondFactor: 1 })
    const saved = await admin.patch(PATH, { requiresSecondFactor: true })
    expect([saved.status, saved.body]).toEqual([200, { requiresSecondFactor: true, membersWithoutSecondFactor: 1 }])
    expect(await admin.list('/audit-log?action=security')).toMatchObject([
      { action: 'security.changed', detail: 'second factor required', resourceId: workspaceId },
    ])
  })

  it('stops members without one and their keys, until they turn it on or it becomes optional', async () => {
    const { admin, editor, key, require } = await strictApplication()
    expect((await key.get('/me')).status).toBe(200)
    await require(true)
    expectError(await editor.client.get('/me'), 403, NEEDED)
    expect((await key.get('/me')).status).toBe(403)
    await require(false)
    expect([(await editor.client.get('/me')).status, (await key.get('/me')).status]).toEqual([200, 200])
    await require(true)
    const withFactor = await editor.turnOn()
    expect([(await withFactor.get('/me')).status, (await key.get('/me')).status]).toEqual([200, 200])
    const work = { clock: app().clock, newId: idGenerator(app().clock), requestId: 'command-line', address: '' }
    const by = { kind: 'command-line', userId: NIL_ID } as const
    await app().storage.transaction((tx) => resetSecondFactor({ ...work, by, tx }, editor.person.email))
    expect((await key.get('/me')).status).toBe(403)
    const log = await admin.list('/audit-log?action=access.denied')
    expect(log.map(({ actorId }) => actorId)).toContain(editor.person.userId)
  })

  it('cannot be turned off by a member before leaving', async () => {
    const { editor, require } = await strictApplication()
    const withFactor = await editor.turnOn()
    await require(true)
    const turnOff = () => withFactor.post('/api/auth/two-factor/disable', { password: PASSWORD })
    expectError(await turnOff(), 409, /^The application Strict requires a second factor of its members; leave it/)
    expect((await withFactor.get('/me')).status).toBe(200)
    expect((await withFactor.delete('/members/me')).status).toBe(204)
    expect((await turnOff()).status).toBe(200)
  })

  it('is left to the provider for users without a password; admins see the state of each member', async () => {
    const { workspaceId, admin, editor, require } = await strictApplication()
    await require(true)
    await admin.post('/members', { email: 'invited@example.com', role: 'viewer' })
    await app().storage.transaction((tx) =>
      tx.updateTable('accounts').set({ provider_id: 'oidc' }).where('user_id', '=', editor.person.userId).execute(),
    )
    expect((await editor.client.get('/me')).status).toBe(200)
    await memberOf(workspaceId, 'viewer')
    const states = (await admin.list('/members')).map(({ role, state, secondFactor }) => [role, state, secondFactor])
    expect(states).toEqual([
      ['viewer', 'member', 'off'],
      ['viewer', 'invited', null],
      ['editor', 'member', 'provider'],
      ['admin', 'member', 'on'],
      ['owner', 'member', 'off'],
    ])
    expect((await admin.get(PATH)).body).toMatchObject({ membersWithoutSecondFactor: 2 })
  })

  it('is asked for before a command line gets a key', async () => {
    const { workspaceId, editor, require } = await strictApplication()
    await require(true)
    const { body } = await app().anonymous.post('/api/auth/device/code', { client_id: 'cli' })
    await editor.client.get(`/api/auth/device?user_code=${body.user_code}`)
    const approval = { userCode: body.user_code, workspaceId, role: 'viewer' }
    expectError(await editor.client.post('/api/auth/device/approve', approval), 403, NEEDED)
  })
})
