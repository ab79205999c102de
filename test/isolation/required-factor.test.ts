import { expect, it } from 'vitest'
import { updateFactorRequirement } from '../../src/auth/second-factor/required-factor-queries.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest } from '../harness/otlp-json.ts'
import { missingIds, nameOf, ROUTES, requestOf } from './route-requests.ts'

const guarded = ROUTES.filter(({ access }) => 'role' in access)
const SESSION_DENIED = 'This application requires a second factor; turn one on in your account, under Second factor'
const KEY_DENIED = /^This application requires a second factor, and the member who created this API key has none; /

describeEachEngine('an application that requires a second factor', (app) => {
  it('serves nothing to a member without one, nor to a key of that member', async () => {
    const { workspaceId, key } = await app().newWorkspace()
    const owner = await app().newPerson([{ workspaceId, role: 'owner' }])
    await app().storage.transaction((tx) => updateFactorRequirement(tx, workspaceId, true))
    const [session, program] = [app().asPerson(owner, workspaceId), app().withKey(key)]
    for (const route of guarded) {
      const { method, path, ...sent } = requestOf(route, missingIds(workspaceId))
      const bySession = await session.send(method, path, sent)
      expect({ route: nameOf(route), status: bySession.status, body: bySession.body }).toEqual({
        route: nameOf(route),
        status: 403,
        body: { error: SESSION_DENIED },
      })
      const byKey = await program.send(method, path, sent)
      const expected = route.access.auth === 'key-or-session' ? 403 : 401
      expect([nameOf(route), byKey.status]).toEqual([nameOf(route), expected])
      if (expected === 403) expect(byKey.body.error).toMatch(KEY_DENIED)
    }
    expect((await program.post('/v1/traces', otlpRequest([]))).status).toBe(403)
    const mcp = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' }
    const tools = await fetch(`${app().url}/mcp`, { method: 'POST', headers, body: JSON.stringify(mcp) })
    expect(tools.status).toBe(403)
  })

  it('is still listed, and other applications of the member are served', async () => {
    const [strict, other] = [await app().newWorkspace(), await app().newWorkspace()]
    const memberships = [strict, other].map(({ workspaceId }) => ({ workspaceId, role: 'editor' as const }))
    const person = await app().newPerson(memberships)
    await app().storage.transaction((tx) => updateFactorRequirement(tx, strict.workspaceId, true))
    expect(await app().asPerson(person).list('/workspaces')).toHaveLength(2)
    expect((await app().asPerson(person, other.workspaceId).get('/me')).status).toBe(200)
    expect((await other.client.get('/me')).status).toBe(200)
  })
})
