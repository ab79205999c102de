/**
 * Every route × every place for an id × {own, foreign, missing, malformed} × five callers. One rule table says what is
 * answered. What is foreign and what is missing must be answered alike, to the byte, and must change nothing anywhere.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import type { Route } from '../../src/http/route.ts'
import type { Answer, Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import {
  FREE_IDS,
  type IdSlot,
  type Ids,
  idSlotsOf,
  isMissedBy,
  isPersonal,
  nameOf,
  ownAnswerOf,
  ROUTES,
  requestOf,
} from './route-requests.ts'
import { seedTenant, seedTree, senderIdOf, type Tenant } from './seed-tree.ts'
import { rowsOfWorkspaces, waitForJobs } from './workspace-rows.ts'

const MARK_A = 'mark-of-a-5e1c'
const MARK_B = 'mark-of-b-90d7'
const KINDS = ['own', 'foreign', 'missing', 'malformed'] as const
const CALLERS = ['key of A', 'key of B', 'member of A', 'stranger', 'nobody'] as const
const MALFORMED = [
  'not-a-uuid',
  '01890a5d-ac96-974b-bcce-b302099a8057',
  '01890a5d-ac96-774b-ccce-b302099a8057',
  '01890a5dac96774bbcceb302099a8057',
  '{01890a5d-ac96-774b-bcce-b302099a8057}',
  '01890a5d-ac96-774b-bcce-b302099a8057\n',
]

type Kind = (typeof KINDS)[number]
type Caller = (typeof CALLERS)[number]

const withIds = ROUTES.filter((route) => idSlotsOf(route).length > 0)
const newId = idGenerator({ now: () => Date.now() })

/** The whole rule. */
function expectedStatus(route: Route, caller: Caller, kind: Kind, slot?: IdSlot): number {
  const { access } = route
  if (caller === 'nobody') return 401
  if (caller.startsWith('key') && access.auth === 'session') return 401
  if (caller === 'stranger' && 'workspace' in access && access.workspace === 'header') return 401
  if (kind === 'malformed' && !FREE_IDS.includes(slot?.name ?? '')) return 400
  if (caller === 'stranger') return 404
  if (kind === 'own' && caller === 'key of A' && isPersonal(route)) return 403
  if (kind === 'own' || !isMissedBy(route)) return ownAnswerOf(route)
  return 404
}

describeEachEngine('isolation', (app) => {
  let a: Tenant
  let b: Tenant
  let clients: Record<Caller, Client>
  let before: unknown

  beforeAll(async () => {
    a = await seedTenant(app(), MARK_A)
    b = await seedTenant(app(), MARK_B)
    const stranger = await app().newPerson()
    clients = {
      'key of A': a.key,
      'key of B': b.key,
      'member of A': a.session,
      stranger: app().asPerson(stranger, a.workspaceId),
      nobody: app().anonymous,
    }
  })

  /** The caller's own ids, and those of the other workspace. */
  function sidesOf(caller: Caller): { home: Tenant; away: Tenant } {
    return caller === 'key of B' ? { home: b, away: a } : { home: a, away: b }
  }

  async function send(caller: Caller, route: Route, ids: Ids): Promise<Answer> {
    const { method, path, ...sent } = requestOf(route, ids)
    return clients[caller].send(method, path, sent)
  }

  it('covers every route with an id in its path or body, and every kind of id there is', () => {
    const names = new Set(withIds.flatMap(idSlotsOf).map(({ place, name }) => `${place} ${name}`))
    const inPaths = Object.keys(a.ids).filter((name) => !name.endsWith('RunId'))
    const known = inPaths.map((name) => `${name.endsWith('Id') ? 'path' : 'query'} ${name}`)
    const inBodies = ['baseline', 'baselineRunId', 'candidate', 'candidateRunId', 'datasetId', 'itemId', 'runId'].map(
      (name) => `body ${name}`,
    )
    expect([...names].sort()).toEqual([...known, ...inBodies].sort())
    expect(withIds.length).toBeGreaterThanOrEqual(38)
  })

  describe.each(withIds.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
    it('does for an own id what it is for, also if it is written in upper case', async () => {
      for (const caller of CALLERS) {
        const { home } = sidesOf(caller)
        // Whatever B does to its own would hide what others did to it.
        if (caller === 'key of B' && route.method !== 'GET') continue
        const isUsedUp = route.method === 'DELETE' || route.path.endsWith('/undo')
        const isDone = expectedStatus(route, caller, 'own') < 300
        const target = isUsedUp && isDone ? await disposable(route) : home.ids
        const { status, text } = await send(caller, route, target)
        expect({ caller, status, text }).toMatchObject({ caller, status: expectedStatus(route, caller, 'own') })
        if (route.method !== 'GET') continue
        const upper = Object.fromEntries(Object.entries(target).map(([name, id]) => [name, id.toUpperCase()]))
        expect((await send(caller, route, upper)).text).toBe(text)
      }
      await waitForJobs(app().storage, a.workspaceId)
    })
  })

  // After all that changed something: the rows before a test are then those after the one before it.
  describe.each(withIds.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
    it('answers a foreign id as a missing one, a malformed one with 400, and changes nothing', async () => {
      before ??= await rowsOfBoth()
      for (const caller of CALLERS) {
        const { home, away } = sidesOf(caller)
        for (const slot of idSlotsOf(route)) {
          const missing = await send(caller, route, { ...home.ids, [slot.name]: newId() })
          checkRefusal(missing, { route, caller, kind: 'missing', slot })
          for (const id of foreignIds(away, slot)) {
            const foreign = await send(caller, route, { ...home.ids, [slot.name]: id })
            checkRefusal(foreign, { route, caller, kind: 'foreign', slot })
            expect(visible(foreign), `${caller}, ${slot.place} ${slot.name}`).toEqual(visible(missing))
          }
          // How an id is read does not depend on who sends it.
          for (const id of caller === 'key of A' ? MALFORMED : MALFORMED.slice(0, 1)) {
            const malformed = await send(caller, route, { ...home.ids, [slot.name]: id })
            checkRefusal(malformed, { route, caller, kind: 'malformed', slot })
            if (malformed.status === 400) expect(malformed.text).toContain(`${slot.name} must be a UUID`)
          }
        }
        const slots = idSlotsOf(route).map(({ name }) => name)
        const allMissing = await send(caller, route, Object.fromEntries(slots.map((name) => [name, newId()])))
        const allForeign = await send(caller, route, away.ids)
        expect(visible(allForeign), `${caller}, every id`).toEqual(visible(allMissing))
      }
      if (route.method !== 'GET') expect(await rowsOfBoth()).toEqual(before)
    })
  })

  it('changes nothing by requests that read', async () => {
    expect(await rowsOfBoth()).toEqual(before)
  })

  describe.each(ROUTES.filter(({ access }) => 'workspace' in access && access.workspace === 'header'))(
    '$method $path',
    (route) => {
      it('answers a session alike for a foreign, a missing and a malformed application, and an older header name', async () => {
        const { method, path, body, headers } = requestOf(route, b.ids)
        const answers: unknown[] = []
        for (const name of ['x-ai-application-id', 'x-workspace-id']) {
          for (const id of [b.workspaceId, newId(), 'malformed']) {
            const client = app().asPerson(a.owner)
            const answer = await client.send(method, path, { body, headers: { ...headers, [name]: id } })
            expect(answer.status).toBe(401)
            answers.push(visible(answer))
          }
        }
        for (const answer of answers) expect(answer).toEqual(answers[0])
      })
    },
  )

  type Refusal = { route: Route; caller: Caller; kind: Kind; slot: IdSlot }

  function checkRefusal({ status, text }: Answer, { route, caller, kind, slot }: Refusal): void {
    const where = `${caller}, ${kind} ${slot.place} ${slot.name}: ${text}`
    expect(status, where).toBe(expectedStatus(route, caller, kind, slot))
    expect(text, where).not.toContain(caller === 'key of B' ? MARK_A : MARK_B)
    if (status === 200) expect(text, where).toBe('{"data":[]}')
  }

  /** A person and an invitation are both named by `userId`; a trace has two names. */
  function foreignIds(away: Tenant, { name }: IdSlot): string[] {
    const id = away.ids[name]
    if (id === undefined) throw new Error(`The other workspace has no ${name}`)
    if (name === 'traceId') return [id, senderIdOf(away.ids)]
    return name === 'userId' ? [id, away.owner.userId] : [id]
  }

  /** Ids of things that may be deleted, because no other test needs them. */
  async function disposable(route: Route): Promise<Ids> {
    if (route.path.startsWith('/workspaces/')) {
      return { ...a.ids, workspaceId: await a.session.create('/workspaces', { name: MARK_A }) }
    }
    return seedTree(a.session, { workspaceId: a.workspaceId, mark: MARK_A })
  }

  function rowsOfBoth(): Promise<unknown> {
    return rowsOfWorkspaces(app().storage, a.workspaceId, b.workspaceId)
  }
})

/** All that a caller sees of an answer, but for what is different in any two answers. */
/** The connection's own headers differ when it has served as many requests as one may: that tells nothing of what was asked. */
const OF_THE_CONNECTION = ['date', 'x-request-id', 'connection', 'keep-alive']

function visible({ status, text, headers }: Answer): unknown {
  const shown = [...headers].filter(([name]) => !OF_THE_CONNECTION.includes(name))
  return { status, text, headers: Object.fromEntries(shown) }
}
