import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine('the account of the caller', (app) => {
  it('PATCH /me changes the name everywhere, with an event in each application of the user', async () => {
    const first = await app().newWorkspace()
    const second = await app().newWorkspace()
    const memberships = [first, second].map(({ workspaceId }) => ({ workspaceId, role: 'viewer' as const }))
    const person = await app().newPerson(memberships)
    const account = app().asPerson(person)
    const { status, body } = await account.patch('/me', { name: 'Ada Lindqvist' })
    expect([status, body]).toEqual([200, { userId: person.userId, name: 'Ada Lindqvist', email: person.email }])
    expect((await app().asPerson(person, first.workspaceId).get('/me')).body.name).toBe('Ada Lindqvist')
    await account.patch('/me', { name: 'Ada Lindqvist' })
    for (const { workspaceId } of [first, second]) {
      const admin = await browserWith(app(), workspaceId, 'admin')
      expect(await admin.list('/audit-log?action=account')).toMatchObject([
        { action: 'account.renamed', actorId: person.userId, detail: 'Test Person → Ada Lindqvist' },
      ])
    }
    expectError(await account.patch('/me', { name: '' }), 400)
    expectError(await account.patch('/me', { name: person.email }), 400, 'The field name must not be an e-mail address')
    expectError(await account.patch('/me', { name: 'A', email: 'a@example.com' }), 400)
    expectError(await first.client.patch('/me', { name: 'By a key' }), 401)
  })

  describe('/me/preferences', () => {
    it('are empty at first, replaced by PUT, and changed field by field by PATCH', async () => {
      const person = app().asPerson(await app().newPerson())
      const path = '/me/preferences'
      expect((await person.get(path)).body).toEqual({})
      const put = await person.send('PUT', path, { body: { theme: 'dark', columns: { traces: ['name', 'cost'] } } })
      expect([put.status, put.body]).toEqual([200, { theme: 'dark', columns: { traces: ['name', 'cost'] } }])
      expect((await person.patch(path, { density: 32, theme: null })).body).toEqual({
        columns: { traces: ['name', 'cost'] },
        density: 32,
      })
      expect((await person.send('PUT', path, { body: { theme: 'light' } })).status).toBe(200)
      expect((await person.get(path)).body).toEqual({ theme: 'light' })
    })

    it('are the user’s own, in every application', async () => {
      const { workspaceId } = await app().newWorkspace()
      const [one, other] = [await app().newPerson([{ workspaceId, role: 'owner' }]), await app().newPerson()]
      await app().asPerson(one, workspaceId).patch('/me/preferences', { theme: 'dark' })
      expect((await app().asPerson(one).get('/me/preferences')).body).toEqual({ theme: 'dark' })
      expect((await app().asPerson(other).get('/me/preferences')).body).toEqual({})
    })

    it('do not lose a field when several are changed at once', async () => {
      const person = app().asPerson(await app().newPerson())
      const names = Array.from({ length: 8 }, (_, place) => `field${place}`)
      await Promise.all(names.map((name) => person.patch('/me/preferences', { [name]: 1 })))
      expect(Object.keys((await person.get('/me/preferences')).body).sort()).toEqual(names)
    })

    it('have at most 16 KiB and are objects', async () => {
      const person = app().asPerson(await app().newPerson())
      const large = 'x'.repeat(9_000)
      expect((await person.patch('/me/preferences', { a: large })).status).toBe(200)
      expectError(await person.patch('/me/preferences', { b: large }), 400)
      expectError(await person.send('PUT', '/me/preferences', { body: { a: large, b: large } }), 400)
      for (const body of [[], 'text', 1, null]) {
        expectError(await person.send('PUT', '/me/preferences', { body }), 400)
      }
      expect(Object.keys((await person.get('/me/preferences')).body)).toEqual(['a'])
    })

    it('are returned as they were sent, for any values', async () => {
      const person = app().asPerson(await app().newPerson())
      await fc.assert(
        fc.asyncProperty(fc.dictionary(fc.string({ maxLength: 20 }), fc.jsonValue({ maxDepth: 3 })), async (given) => {
          const body = JSON.parse(JSON.stringify(given))
          const put = await person.send('PUT', '/me/preferences', { body })
          // Text that cannot be stored is rejected as in every body.
          if (put.status === 400) return
          expect((await person.get('/me/preferences')).body).toEqual(body)
        }),
        { numRuns: 30 },
      )
    })
  })
})
