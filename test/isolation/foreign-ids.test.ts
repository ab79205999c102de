// @module-tag sql
/**
 * Every route × every place for an id × {foreign, missing, malformed}. What is foreign and what is missing must be answered alike,
 * to the byte, and must change nothing anywhere. How a caller is authenticated decides nothing here, so there is one per route:
 * `isolation-matrix.test.ts` has the others.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { MAX_ID, NIL_ID } from '../conformance/answer-forms.ts'
import type { Answer, Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { expectForeignAsMissing, send } from './foreign-requests.ts'
import { FREE_IDS, idSlotsOf, isMissedBy, nameOf, ROUTES } from './route-requests.ts'
import { seedTenant, type Tenant } from './seed-tree.ts'
import { rowsOfWorkspaces } from './workspace-rows.ts'

const MARK_A = 'mark-of-a-5e1c'
const MARK_B = 'mark-of-b-90d7'

const withIds = ROUTES.filter((route) => idSlotsOf(route).length > 0)

describeEachEngine('isolation', (app) => {
  let a: Tenant
  let b: Tenant
  let before: unknown

  beforeAll(async () => {
    a = await seedTenant(app(), MARK_A)
    b = await seedTenant(app(), MARK_B)
    before = await rowsOfBoth()
  })

  it('covers every route with an id in its path or body, and every kind of id there is', () => {
    const names = new Set(withIds.flatMap(idSlotsOf).map(({ place, name }) => `${place} ${name}`))
    const inPaths = Object.keys(a.ids).filter((name) => !name.endsWith('RunId') && name !== 'aiComponentId')
    const known = inPaths.map((name) => `${name.endsWith('Id') ? 'path' : 'query'} ${name}`)
    const inBodies = [
      'aiComponentId',
      'baseline',
      'baselineRunId',
      'candidate',
      'candidateRunId',
      'datasetId',
      'experimentId',
      'itemId',
      'runId',
    ].map((name) => `body ${name}`)
    expect([...names].sort()).toEqual([...known, ...inBodies, 'query datasetId'].sort())
    expect(withIds.length).toBeGreaterThanOrEqual(38)
  })

  describe.each(withIds.map((route) => [nameOf(route), route] as const))('%s', (_name, route) => {
    it('returns the same for a foreign id as for a missing one, 400 for a malformed one, and changes nothing', async () => {
      const client = callerOf(route)
      const rejected = await expectForeignAsMissing(client, route, { home: a, away: b })
      for (const answer of rejected) checkRejection(answer, isMissedBy(route) ? 404 : 200)
      for (const [place, { name }] of idSlotsOf(route).entries()) {
        for (const id of [NIL_ID, MAX_ID]) {
          const { status, text } = await send(client, route, { ...a.ids, [name]: id })
          expect({ status, text }, `${name} ${id}`).toMatchObject({
            status: rejected[place]?.status,
            text: rejected[place]?.text,
          })
        }
        if (FREE_IDS.includes(name)) continue
        // All spellings that are no id are in section C of the bad input.
        const malformed = await send(client, route, { ...a.ids, [name]: 'not-a-uuid' })
        checkRejection(malformed, 400)
        expect(malformed.text).toContain(`${name} must be a UUID`)
      }
      if (route.method !== 'GET') expect(await rowsOfBoth()).toEqual(before)
    })
  })

  it('changes nothing by requests that read', async () => {
    expect(await rowsOfBoth()).toEqual(before)
  })

  function callerOf({ access }: Route): Client {
    return access.auth === 'session' ? a.session : a.key
  }

  function checkRejection({ status, text }: Answer, expected: number): void {
    expect(status, text).toBe(expected)
    expect(text).not.toContain(MARK_B)
    if (status === 200) expect(text).toBe('{"data":[]}')
  }

  function rowsOfBoth(): Promise<unknown> {
    return rowsOfWorkspaces(app().storage, a.workspaceId, b.workspaceId)
  }
})
