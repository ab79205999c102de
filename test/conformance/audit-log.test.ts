import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { expectError, expectUnauthorized, NEW_ID, TIMESTAMP } from './answer-forms.ts'
import { seedChain } from './operations.ts'
import { browserWith, personWith, tokenOf } from './team.ts'

describeEachEngine(
  '/audit-log',
  (app) => {
    it('GET 200 returns who did what, newest first, with the id of the request, in pages', async () => {
      const { workspaceId, client, owner } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'admin')
      const admin = app().asPerson(person, workspaceId)
      const ids = await seedChain(client)
      const below = `/components/${ids.component}`
      const requestId = { 'x-request-id': 'make-key' }
      const { body: key } = await admin.post('/api-keys', { name: 'CI' }, requestId)
      await admin.delete(`/api-keys/${key.id}`)
      await admin.patch(`/workspaces/${workspaceId}`, { name: 'Renamed' })
      const { body: invitation } = await admin.post('/members', { email: 'audited@example.com', role: 'viewer' })
      await admin.patch(`/members/${invitation.id}`, { role: 'editor' })
      await admin.delete(`/members/${invitation.id}`)
      await client.delete(`${below}/runs/${ids.run}`)
      await client.delete(`${below}/datasets/${ids.dataset}`)
      await client.delete(below)
      const log = (await admin.list('/audit-log')).filter(({ action }) => action !== 'session.created')
      expect(log.map(({ action, resourceId, actorKind, actorId }) => [action, resourceId, actorKind, actorId])).toEqual(
        [
          ['component.deleted', ids.component, 'api-key', owner.userId],
          ['dataset.deleted', ids.dataset, 'api-key', owner.userId],
          ['run.deleted', ids.run, 'api-key', owner.userId],
          ['invitation.withdrawn', invitation.id, 'session', person.userId],
          ['invitation.changed', invitation.id, 'session', person.userId],
          ['member.invited', invitation.id, 'session', person.userId],
          ['workspace.changed', workspaceId, 'session', person.userId],
          ['api-key.revoked', key.id, 'session', person.userId],
          ['api-key.created', key.id, 'session', person.userId],
        ],
      )
      expect(log.at(-1)).toEqual({
        id: NEW_ID,
        actorId: person.userId,
        actorKind: 'session',
        action: 'api-key.created',
        resourceId: key.id,
        detail: 'editor',
        requestId: 'make-key',
        address: '127.0.0.1',
        count: 1,
        createdAt: TIMESTAMP,
      })
      const all = await admin.list('/audit-log')
      expect(await admin.list('/audit-log?limit=2&offset=3')).toEqual(all.slice(3, 5))
    })

    it('has invitations, acceptances, changed, leaving and removed members, and the keys that were revoked with them', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'owner')
      const owner = app().asPerson(person, workspaceId)
      const guest = await app().newPerson()
      const theirs = app().asPerson(guest, workspaceId)
      const join = async () => {
        const { body } = await owner.post('/members', { email: guest.email, role: 'admin' })
        await theirs.post('/invitations/accept', { token: tokenOf(body.invitationUrl) })
        return body.id
      }
      const first = await join()
      const { body: key } = await theirs.post('/api-keys', { name: 'own', role: 'viewer' })
      const { body: open } = await theirs.post('/members', { email: 'open@example.com', role: 'viewer' })
      await owner.patch(`/members/${guest.userId}`, { role: 'editor' })
      await owner.delete(`/members/${guest.userId}`)
      const second = await join()
      await theirs.delete('/members/me')
      const log = await owner.list('/audit-log')
      const shown = log.map(({ action, resourceId, detail, actorId }) => [action, resourceId, detail, actorId])
      expect(shown.reverse()).toEqual([
        ['member.invited', first, `${guest.email} as admin`, person.userId],
        ['member.joined', guest.userId, 'admin', guest.userId],
        ['api-key.created', key.id, 'viewer', guest.userId],
        ['member.invited', open.id, 'open@example.com as viewer', guest.userId],
        ['invitation.withdrawn', open.id, 'open@example.com as viewer', person.userId],
        ['member.changed', guest.userId, 'editor', person.userId],
        ['api-key.revoked', key.id, 'viewer', person.userId],
        ['member.removed', guest.userId, 'editor', person.userId],
        ['member.invited', second, `${guest.email} as admin`, person.userId],
        ['member.joined', guest.userId, 'admin', guest.userId],
        ['member.left', guest.userId, 'admin', guest.userId],
      ])
    })

    it('a cursor continues after an event, also when others have been recorded since', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      for (const name of ['a', 'b', 'c', 'd', 'e']) await admin.patch(`/workspaces/${workspaceId}`, { name })
      const path = '/audit-log?action=workspace.changed'
      const all = (await admin.list(path)).map(({ id }) => id)
      expect(all).toHaveLength(5)
      const paged = (await admin.list(`${path}&limit=2`)).map(({ id }) => id)
      while (true) {
        await admin.patch(`/workspaces/${workspaceId}`, { name: `newer ${paged.length}` })
        const next = await admin.list(`${path}&limit=2&cursor=${paged.at(-1)}`)
        if (next.length === 0) break
        paged.push(...next.map(({ id }) => id))
      }
      expect(paged).toEqual(all)
      expectError(await admin.get('/audit-log?cursor=newest'), 400)
      expectError(await admin.get(`/audit-log?cursor=${all[0]}&offset=1`), 400)
    })

    it('has no requests with 404, and nothing of another workspace', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const other = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const ids = await seedChain(client)
      expectError(await other.client.delete(`/components/${ids.component}`), 404)
      const theirs = await seedChain(other.client)
      await other.client.delete(`/components/${theirs.component}`)
      const log = await admin.list('/audit-log')
      expect(log.filter(({ action }) => action !== 'session.created')).toEqual([])
    })

    it('401 for a key and without credentials, 403 below admin', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      expectError(await client.get('/audit-log'), 401)
      expectUnauthorized(await app().anonymous.get('/audit-log'))
      expectError(await (await browserWith(app(), workspaceId, 'editor')).get('/audit-log'), 403)
    })
  },
  { works: false },
)
