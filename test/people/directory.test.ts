import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith, newEmail, personWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine('names and sessions of members', (app) => {
  it('GET /members/directory has members, former members and example authors, without their addresses', async () => {
    const { workspaceId, owner, client } = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const [left, removed] = [
      await app().newPerson([{ workspaceId, role: 'annotator' }]),
      await app().newPerson([{ workspaceId, role: 'annotator' }]),
    ]
    await app().asPerson(left, workspaceId).patch('/me', { name: 'Left' })
    await app().asPerson(left, workspaceId).delete('/members/me')
    await admin.delete(`/members/${removed.userId}`)
    const viewer = await browserWith(app(), workspaceId, 'viewer')
    await admin.post('/members', { email: newEmail(), role: 'viewer' })
    const { body } = await client.send('POST', '/example-data')
    const entries = await viewer.list('/members/directory')
    expect(await client.list('/members/directory')).toEqual(entries)
    expect(JSON.stringify(entries)).not.toContain('@')
    const stateOf = Object.fromEntries(entries.map(({ userId, state }) => [userId, state]))
    expect(Object.values(stateOf).sort()).toEqual([
      'example',
      'example',
      'former',
      'former',
      'member',
      'member',
      'member',
    ])
    expect([stateOf[owner.userId], stateOf[left.userId], stateOf[removed.userId]]).toEqual([
      'member',
      'former',
      'former',
    ])
    for (const author of Object(body.authors)) expect(stateOf[author.userId]).toBe('example')
    const roleOf = Object.fromEntries(entries.map(({ userId, role }) => [userId, role]))
    expect([roleOf[owner.userId], roleOf[left.userId], roleOf[removed.userId]]).toEqual(['owner', null, null])
    expect(
      Object.values(roleOf)
        .filter((role) => role !== null)
        .sort(),
    ).toEqual(['admin', 'owner', 'viewer'])
    expect(entries.find(({ userId }) => userId === left.userId)?.name).toBe('Left')
    const paged = await viewer.list('/members/directory?limit=3&offset=3')
    expect(paged).toEqual(entries.slice(3, 6))
  })

  it('a former member who returns is a member, and one who leaves again is former', async () => {
    const { workspaceId } = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const person = await app().newPerson([{ workspaceId, role: 'viewer' }])
    const stateNow = async () =>
      (await admin.list('/members/directory'))
        .filter(({ userId }) => userId === person.userId)
        .map(({ state }) => state)
    await app().asPerson(person, workspaceId).delete('/members/me')
    expect(await stateNow()).toEqual(['former'])
    const { body } = await admin.post('/members', { email: person.email, role: 'viewer' })
    const token = String(body.invitationUrl).split('#')[1]
    expect((await app().asPerson(person).post('/invitations/accept', { token })).status).toBe(201)
    expect(await stateNow()).toEqual(['member'])
    await app().asPerson(person, workspaceId).delete('/members/me')
    expect(await stateNow()).toEqual(['former'])
  })

  it('DELETE /members/:userId/sessions 204 signs a member out everywhere, with an event', async () => {
    const { workspaceId } = await app().newWorkspace()
    const actor = await app().newPerson([{ workspaceId, role: 'admin' }])
    const admin = app().asPerson(actor, workspaceId)
    const person = await app().newPerson([{ workspaceId, role: 'editor' }])
    const theirs = app().asPerson(person, workspaceId)
    expect((await theirs.get('/me')).status).toBe(200)
    expect((await admin.delete(`/members/${person.userId}/sessions`)).status).toBe(204)
    expect((await theirs.get('/me')).status).toBe(401)
    expect(await admin.list('/audit-log?action=account.sessions-ended')).toMatchObject([
      { actorId: actor.userId, resourceId: person.userId },
    ])
  })

  it('DELETE /members/:userId/sessions 403 if the member has an application that the caller does not administer, or is an owner', async () => {
    const { workspaceId } = await app().newWorkspace()
    const other = await app().newWorkspace()
    const admin = await browserWith(app(), workspaceId, 'admin')
    const both = await app().newPerson([
      { workspaceId, role: 'viewer' },
      { workspaceId: other.workspaceId, role: 'viewer' },
    ])
    expectError(await admin.delete(`/members/${both.userId}/sessions`), 403)
    const owner = await personWith(app(), workspaceId, 'owner')
    expectError(await admin.delete(`/members/${owner.userId}/sessions`), 403)
    expect((await app().asPerson(both, workspaceId).get('/me')).status).toBe(200)
    const ofBoth = await app().newPerson([
      { workspaceId, role: 'admin' },
      { workspaceId: other.workspaceId, role: 'admin' },
    ])
    expect((await app().asPerson(ofBoth, workspaceId).delete(`/members/${both.userId}/sessions`)).status).toBe(204)
    const stranger = await app().newPerson([{ workspaceId: other.workspaceId, role: 'viewer' }])
    expectError(await admin.delete(`/members/${stranger.userId}/sessions`), 404, 'Member not found')
  })

  it('GET /audit-log has filters for the action, the person and the time', async () => {
    const { workspaceId } = await app().newWorkspace()
    const person = await app().newPerson([{ workspaceId, role: 'admin' }])
    const admin = app().asPerson(person, workspaceId)
    const other = await personWith(app(), workspaceId, 'owner')
    const { body: key } = await admin.post('/api-keys', { name: 'a' })
    await app().asPerson(other, workspaceId).delete(`/api-keys/${key.id}`)
    await admin.post('/members', { email: newEmail(), role: 'viewer' })
    const actionsWith = async (query: string) => (await admin.list(`/audit-log?${query}`)).map(({ action }) => action)
    expect(await actionsWith('action=api-key')).toEqual(['api-key.revoked', 'api-key.created'])
    expect(await actionsWith('action=api-key.created,member')).toEqual(['member.invited', 'api-key.created'])
    expect(await actionsWith(`action=api-key&actor_id=${other.userId.toUpperCase()}`)).toEqual(['api-key.revoked'])
    const all = await admin.list('/audit-log?action=api-key,member')
    const middle = String(all[1]?.createdAt)
    const after = await admin.list(`/audit-log?action=api-key,member&created_after=${middle}`)
    const before = await admin.list(`/audit-log?action=api-key,member&created_before=${middle}`)
    expect([...after, ...before]).toEqual(all)
    for (const wrong of ['action=', 'action=a%25', 'actor_id=x', 'created_after=yesterday', 'unknown=1'])
      expectError(await admin.get(`/audit-log?${wrong}`), 400)
  })
})
