/**
 * Every route with an id × {own, foreign} × the callers of both workspaces and a stranger. One table has the expected responses.
 * `foreign-ids.test.ts` has all places of ids for one caller; `route-access.test.ts` has who is let in.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { expectForeignAsMissing, send } from './foreign-requests.ts'
import { type Ids, idSlotsOf, isMissedBy, isPersonal, nameOf, ownAnswerOf, ROUTES } from './route-requests.ts'
import { seedTenant, seedTree, type Tenant } from './seed-tree.ts'
import { rowsOfWorkspaces, waitForJobs } from './workspace-rows.ts'

const MARK_A = 'mark-of-a-5e1c'
const MARK_B = 'mark-of-b-90d7'
const CALLERS = ['key of A', 'key of B', 'member of A', 'stranger'] as const

type Caller = (typeof CALLERS)[number]

const withIds = ROUTES.filter((route) => idSlotsOf(route).length > 0)

/** The whole rule. */
function expectedStatus(route: Route, caller: Caller, kind: 'own' | 'foreign'): number {
  const { access } = route
  if (caller.startsWith('key') && access.auth === 'session') return 401
  if (caller === 'stranger') return 'workspace' in access && access.workspace === 'header' ? 401 : 404
  if (kind === 'own' && caller === 'key of A' && isPersonal(route)) return 403
  if (kind === 'own' || !isMissedBy(route)) return ownAnswerOf(route)
  return 404
}

describeEachEngine('isolation', (app) => {
  let a: Tenant
  let b: Tenant
  let clients: Record<Caller, Client>

  beforeAll(async () => {
    a = await seedTenant(app(), MARK_A)
    b = await seedTenant(app(), MARK_B)
    const stranger = app().asPerson(await app().newPerson(), a.workspaceId)
    clients = { 'key of A': a.key, 'key of B': b.key, 'member of A': a.session, stranger }
  })

  describe.each(
    withIds.toSorted((one, other) => rankOf(one) - rankOf(other)).map((route) => [nameOf(route), route] as const),
  )('%s', (_name, route) => {
    it('succeeds for an own id, also in upper case', async () => {
      let isDone = false
      for (const caller of CALLERS) {
        // Changes by B itself would hide changes by others.
        if (caller === 'key of B' && route.method !== 'GET') continue
        const expected = expectedStatus(route, caller, 'own')
        const isUsedUp = expected < 300 && usesUp(route)
        if (isUsedUp && isDone) continue
        const own = isUsedUp ? await disposable(route) : caller === 'key of B' ? b.ids : a.ids
        const upper = Object.fromEntries(Object.entries(own).map(([name, id]) => [name, id.toUpperCase()]))
        const { status, text } = await send(clients[caller], route, isUsedUp ? upper : own)
        expect({ caller, status, text }).toMatchObject({ caller, status: expected })
        if (route.method === 'GET') expect((await send(clients[caller], route, upper)).text).toBe(text)
        isDone ||= isUsedUp
      }
    })
  })

  it('returns the same for a foreign id as for a missing one, to every caller, on every route, and changes nothing', async () => {
    await waitForJobs(app().storage, a.workspaceId)
    const before = await rowsOfWorkspaces(app().storage, a.workspaceId, b.workspaceId)
    for (const route of withIds) {
      for (const caller of CALLERS.filter((name) => name !== 'key of A')) {
        const [home, away] = caller === 'key of B' ? [b, a] : [a, b]
        const where = `${nameOf(route)} as ${caller}`
        const expected = expectedStatus(route, caller, 'foreign')
        // No id is read then: `route-access.test.ts` proves it.
        if (expected === 401) continue
        for (const { status, text } of await expectForeignAsMissing(clients[caller], route, { home, away })) {
          expect(status, `${where}: ${text}`).toBe(expected)
          expect(text, where).not.toContain(away === a ? MARK_A : MARK_B)
          if (status === 200) expect(text, where).toBe('{"data":[]}')
        }
      }
    }
    expect(await rowsOfWorkspaces(app().storage, a.workspaceId, b.workspaceId)).toEqual(before)
  })

  let tree: Promise<Ids> | undefined

  /** Ids of things that may be deleted, because no other test needs them. */
  async function disposable(route: Route): Promise<Ids> {
    if (route.path.startsWith('/workspaces/')) {
      return { ...a.ids, workspaceId: await a.session.create('/workspaces', { name: MARK_A }) }
    }
    // Their own paths delete the experiment of the tree before.
    if (route.path.startsWith('/experiments/')) return seedTree(a.session, { workspaceId: a.workspaceId, mark: MARK_A })
    tree ??= seedTree(a.session, { workspaceId: a.workspaceId, mark: MARK_A })
    return tree
  }
})

function usesUp({ method, path }: Route): boolean {
  return method === 'DELETE' || path.endsWith('/undo')
}

/** What reads comes first, because jobs of what was changed could change an answer; what holds something is deleted after it. */
function rankOf(route: Route): number {
  if (!usesUp(route)) return route.method === 'GET' ? 0 : 1
  const segments = route.path.split('/')
  const container = [':runId', ':datasetId', ':componentId'].indexOf(segments.at(-1) ?? '')
  return container === -1 ? 20 - segments.length : 30 + container
}
