import { beforeAll, describe, expect, it } from 'vitest'
import { ROLES, type Role } from '../../src/base/principal.ts'
import { expectUnauthorized } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { MISSING, missingIds, nameOf, ROUTES, requestOf } from './route-requests.ts'

describeEachEngine('an API key', (app) => {
  let owner: Client
  let maker: Client
  let makerId = ''
  let workspaceId = ''

  beforeAll(async () => {
    const workspace = await app().newWorkspace()
    workspaceId = workspace.workspaceId
    owner = app().asPerson(await app().newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
    const person = await app().newPerson([{ workspaceId, role: 'admin' }])
    makerId = person.userId
    maker = app().asPerson(person, workspaceId)
  })

  async function newKey(by: Client): Promise<{ id: string; key: Client }> {
    const { status, body } = await by.post('/api-keys', { name: 'Key' })
    expect(status).toBe(201)
    return { id: String(body.id), key: app().withKey(String(body.key)) }
  }

  async function giveMaker(role: Role): Promise<void> {
    expect((await owner.patch(`/members/${makerId}`, { role })).status).toBe(200)
  }

  it('of an owner acts as an editor', async () => {
    const { key } = await newKey(owner)
    expect((await key.get('/me')).body).toMatchObject({ kind: 'api-key', role: 'editor', workspaceId })
    expect((await key.post('/components', { name: 'By a key' })).status).toBe(201)
  })

  it('gives no access above editor, for creators of any role', async () => {
    const { key } = await newKey(owner)
    const ids = missingIds(workspaceId)
    const beyond = ROUTES.filter(
      ({ access }) => access.auth === 'session' || ('role' in access && ['admin', 'owner'].includes(access.role)),
    )
    expect(beyond.length).toBeGreaterThanOrEqual(13)
    for (const route of beyond) {
      const { method, path, ...sent } = requestOf(route, ids)
      const { status } = await key.send(method, path, sent)
      expect([401, 403], nameOf(route)).toContain(status)
    }
    expect((await owner.get('/workspace')).status).toBe(200)
  })

  describe('whose maker', () => {
    it.each(ROLES)('has become %s has the rights of that role, and never more than an editor', async (role) => {
      await giveMaker('admin')
      const { key } = await newKey(maker)
      await giveMaker(role)
      const expected = role === 'admin' || role === 'owner' ? 'editor' : role
      expect((await key.get('/me')).body.role).toBe(expected)
      const { status } = await key.post('/components', { name: 'Component' })
      expect(status).toBe(expected === 'editor' ? 201 : 403)
      const annotated = await key.post(`/components/${MISSING}/runs/${MISSING}/annotations`, { traceDbId: 'a' })
      expect(annotated.status).toBe(expected === 'viewer' ? 403 : 404)
    })

    it('was demoted to viewer reads but no longer writes, and writes again when promoted', async () => {
      await giveMaker('admin')
      const { key } = await newKey(maker)
      const componentId = await key.create('/components', { name: 'Before' })
      await giveMaker('viewer')
      expect((await key.get('/components')).status).toBe(200)
      expect((await key.post('/components', { name: 'After' })).status).toBe(403)
      expect((await key.delete(`/components/${componentId}`)).status).toBe(403)
      await giveMaker('editor')
      expect((await key.delete(`/components/${componentId}`)).status).toBe(204)
    })

    it('was removed opens nothing, and the maker’s session opens nothing either', async () => {
      const person = await app().newPerson([{ workspaceId, role: 'admin' }])
      const session = app().asPerson(person, workspaceId)
      const { key } = await newKey(session)
      expect((await key.get('/components')).status).toBe(200)
      expect((await owner.delete(`/members/${person.userId}`)).status).toBe(204)
      const answer = await key.get('/components')
      expect([answer.status, answer.text]).toEqual([401, '{"error":"Invalid or missing API key"}'])
      expect((await key.post('/components', { name: 'After' })).status).toBe(401)
      expect((await session.get('/components')).status).toBe(401)
    })
  })

  it('stops working at the moment it is revoked', async () => {
    const { id, key } = await newKey(owner)
    expect((await key.get('/workspace')).status).toBe(200)
    expect((await owner.delete(`/api-keys/${id}`)).status).toBe(204)
    expectUnauthorized(await key.get('/workspace'))
  })

  it('stops working with its workspace', async () => {
    const id = await owner.create('/workspaces', { name: 'Short-lived' })
    const { body } = await owner.post('/api-keys', { name: 'Key' }, { 'x-ai-application-id': id })
    const key = app().withKey(String(body.key))
    expect((await key.get('/workspace')).body.id).toBe(id)
    expect((await owner.delete(`/workspaces/${id}`)).status).toBe(204)
    expectUnauthorized(await key.get('/workspace'))
    expect((await owner.get('/workspace', { 'x-ai-application-id': id })).status).toBe(401)
  })

  it('cannot choose another workspace by a header', async () => {
    const { key } = await newKey(owner)
    const other = await app().newWorkspace()
    for (const name of ['x-ai-application-id', 'x-workspace-id']) {
      for (const id of [other.workspaceId, 'not-a-uuid', ''])
        expect((await key.get('/workspace', { [name]: id })).body.id).toBe(workspaceId)
    }
  })
})
