// @module-tag sql
/** Concurrent changes must have the result of some serial order. */
import { expect, it } from 'vitest'
import type { Answer } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { browserWith, newEmail, tokenOf } from './team.ts'

const ROUNDS = 6

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()

describeEachEngine(
  'at the same moment',
  (app) => {
    const rolesIn = async (workspaceId: string) =>
      app()
        .storage.read.selectFrom('members')
        .select(['user_id', 'role'])
        .where('workspace_id', '=', workspaceId)
        .execute()

    it('an invitation is accepted once, by an account and by making one', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await app().newPerson()
      const { body } = await admin.post('/members', { email: person.email, role: 'viewer' })
      const token = tokenOf(body.invitationUrl)
      const accept = () => app().asPerson(person).post('/invitations/accept', { token })
      expect(statuses(await Promise.all([accept(), accept(), accept()]))).toEqual([201, 404, 404])
      const second = tokenOf((await admin.post('/members', { email: newEmail(), role: 'viewer' })).body.invitationUrl)
      const signUp = () =>
        app().anonymous.post('/invitations/sign-up', { token: second, name: 'Ann', password: PASSWORD })
      expect(statuses(await Promise.all([signUp(), signUp(), signUp()]))).toEqual([201, 404, 404])
    })

    it('an invitation is either accepted or withdrawn', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await app().newPerson()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { body } = await admin.post('/members', { email: person.email, role: 'viewer' })
        const accept = () =>
          app()
            .asPerson(person)
            .post('/invitations/accept', { token: tokenOf(body.invitationUrl) })
        const withdraw = () => admin.delete(`/members/${body.id}`)
        const both = round % 2 === 0 ? [accept(), withdraw()] : [withdraw(), accept()]
        const [accepted, withdrawn] = (await Promise.all(both)).sort(
          (a, b) => Number('workspaceId' in b.body) - Number('workspaceId' in a.body),
        )
        const isMember = (await rolesIn(workspaceId)).some(({ user_id }) => user_id === person.userId)
        if (isMember) {
          expect([accepted?.status, withdrawn?.status]).toEqual([201, 404])
          expect((await admin.delete(`/members/${person.userId}`)).status).toBe(204)
        } else expect(statuses(await Promise.all(both))).toEqual([204, 404])
      }
    })

    it('an invitation whose role is changed is accepted with the one or the other role and is then gone', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      const person = await app().newPerson()
      for (let round = 0; round < ROUNDS; round += 1) {
        const { body } = await admin.post('/members', { email: person.email, role: 'editor' })
        const [accepted, changed] = await Promise.all([
          app()
            .asPerson(person)
            .post('/invitations/accept', { token: tokenOf(body.invitationUrl) }),
          admin.patch(`/members/${body.id}`, { role: 'viewer' }),
        ])
        expect(accepted.status).toBe(201)
        const { role } = (await rolesIn(workspaceId)).find(({ user_id }) => user_id === person.userId) ?? {}
        expect(role).toBe(changed.status === 200 ? 'viewer' : 'editor')
        await admin.delete(`/members/${person.userId}`)
      }
    })

    it('an application keeps an owner when one leaves while the other is demoted', async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const { workspaceId, owner } = await app().newWorkspace()
        const [ann, bob] = [
          await app().newPerson([{ workspaceId, role: 'owner' }]),
          await app().newPerson([{ workspaceId, role: 'owner' }]),
        ]
        const asAnn = app().asPerson(ann, workspaceId)
        expect((await asAnn.delete(`/members/${owner.userId}`)).status).toBe(204)
        const demote = () => asAnn.patch(`/members/${bob.userId}`, { role: 'viewer' })
        const leave = () => asAnn.delete('/members/me')
        const bobLeaves = () => app().asPerson(bob, workspaceId).delete('/members/me')
        await Promise.all([demote(), leave(), bobLeaves()])
        expect((await rolesIn(workspaceId)).filter(({ role }) => role === 'owner')).toHaveLength(1)
      }
    })

    it('a key created during the removal of its owner does not work, even if the owner is added again', async () => {
      const { workspaceId } = await app().newWorkspace()
      const owner = await browserWith(app(), workspaceId, 'owner')
      const person = await app().newPerson()
      const theirs = app().asPerson(person, workspaceId)
      const join = async () => {
        const { body } = await owner.post('/members', { email: person.email, role: 'editor' })
        const accepted = await theirs.post('/invitations/accept', { token: tokenOf(body.invitationUrl) })
        expect(accepted.status).toBe(201)
      }
      for (let round = 0; round < ROUNDS; round += 1) {
        await join()
        const [made, removed] = await Promise.all([
          theirs.post('/api-keys', { name: 'raced' }),
          owner.delete(`/members/${person.userId}`),
        ])
        expect(removed.status).toBe(204)
        await join()
        if (made.status === 201) expect((await app().withKey(String(made.body.key)).get('/workspace')).status).toBe(401)
        await owner.delete(`/members/${person.userId}`)
      }
    })
  },
  { works: false },
)
