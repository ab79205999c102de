import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { expectError, expectUnauthorized } from './answer-forms.ts'
import { OPERATIONS, perform, seedChain, sharedChain, titled } from './operations.ts'
import { browserWith, personWith, stranger } from './team.ts'

const BROKEN_IDS = { component: 'x', dataset: 'x', run: 'x', annotation: 'x', evaluation: 'x' }

describeEachEngine(
  'every operation of the specification',
  (app) => {
    it('there are twenty', () => {
      expect(new Set(titled(OPERATIONS).map(({ title }) => title)).size).toBe(20)
    })

    describe.each(titled(OPERATIONS))('$title', ({ operation }) => {
      const { status, auth, method } = operation

      it('401 without credentials and with a wrong key, in the exact words, and nothing is done', async () => {
        const { client, key } = await app().newWorkspace()
        const ids = await seedChain(client)
        expectUnauthorized(await perform(app().anonymous, operation, ids))
        expectUnauthorized(await perform(app().withKey('tsk_wrong'), operation, ids))
        expectUnauthorized(await perform(app().withKey(`${key}x`), operation, ids))
        expect(await client.list('/components')).toHaveLength(1)
        const below = `/components/${ids.component}`
        expect(await client.list(`${below}/runs/${ids.run}/annotations`)).toHaveLength(1)
        for (const kind of ['datasets', 'runs', 'evaluations'])
          expect(await client.list(`${below}/${kind}`)).toHaveLength(1)
      })

      it('401 comes before the ids and the body are looked at', async () => {
        const wrong = method === 'GET' ? operation : { ...operation, body: () => ({ nonsense: 1 }) }
        expectUnauthorized(await perform(app().anonymous, wrong, BROKEN_IDS))
      })

      it('works with a session cookie and X-AI-Application-Id, with X-Workspace-Id, and with the token as Bearer', async () => {
        const { client, workspaceId } = await app().newWorkspace()
        const person = await personWith(app(), workspaceId, 'editor')
        const byCookie = await perform(app().asPerson(person, workspaceId), operation, await seedChain(client))
        expect(byCookie.status, byCookie.text).toBe(status)
        const alias = { 'x-workspace-id': workspaceId }
        const byAlias = await perform(app().asPerson(person), operation, await seedChain(client), alias)
        expect(byAlias.status, byAlias.text).toBe(status)
        const named = { 'x-ai-application-id': workspaceId }
        const byToken = await perform(app().withKey(person.token), operation, await seedChain(client), named)
        expect(byToken.status, byToken.text).toBe(status)
      })

      it(`an API key is ${auth === 'session' ? 'refused with 401' : 'enough'}`, async () => {
        const { client } = await app().newWorkspace()
        const answer = await perform(client, operation, await seedChain(client))
        expect(answer.status, answer.text).toBe(auth === 'session' ? 401 : status)
      })

      it('a bad key beside a good cookie is 401', async () => {
        const { workspaceId, ids } = await sharedChain(app())
        const browser = await browserWith(app(), workspaceId, 'editor')
        expectUnauthorized(await perform(browser, operation, ids, { authorization: 'Bearer tsk_wrong' }))
      })
    })

    describe.each(titled(OPERATIONS.filter(({ auth }) => auth !== 'session')))('$title', ({ operation }) => {
      it('401 for a session that names no application, or one it is not in', async () => {
        const { workspaceId, ids } = await sharedChain(app())
        const person = await stranger(app())
        expectError(await perform(app().asPerson(person), operation, ids), 401)
        expectError(await perform(app().asPerson(person, workspaceId), operation, ids), 401)
      })
    })

    const writes = OPERATIONS.filter(({ role }) => role !== 'viewer')
    describe.each(titled(writes))('$title', ({ operation }) => {
      it(`403 for a role below ${operation.role}`, async () => {
        const { workspaceId, ids } = await sharedChain(app())
        const browser = await browserWith(app(), workspaceId, operation.role === 'editor' ? 'annotator' : 'viewer')
        expectError(await perform(browser, operation, ids), 403)
      })
    })

    const reads = OPERATIONS.filter(({ role, auth }) => role === 'viewer' && auth !== 'session')
    describe.each(titled(reads))('$title', ({ operation }) => {
      it('a viewer may', async () => {
        const { workspaceId, ids } = await sharedChain(app())
        const viewer = await browserWith(app(), workspaceId, 'viewer')
        expect((await perform(viewer, operation, ids)).status).toBe(200)
      })
    })
  },
  // No operation waits for a job, and evaluating costs more than everything else here.
  { works: false },
)
