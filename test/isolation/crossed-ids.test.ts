/** Ids that exist in the caller's own workspace, but not below each other. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import type { Answer } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type Ids, idSlotsOf, isMissedBy, nameOf, ROUTES, requestOf } from './route-requests.ts'
import { seedTenant, seedTree, type Tenant } from './seed-tree.ts'
import { rowsOfWorkspaces, waitForJobs } from './workspace-rows.ts'

const MARK = 'mark-of-the-first'
const OTHER_MARK = 'mark-of-the-second'

const nested = ROUTES.filter((route) => idSlotsOf(route).length > 1)

describeEachEngine('an id of the same workspace in the wrong place', (app) => {
  let tenant: Tenant
  let other: Ids
  let before: unknown

  beforeAll(async () => {
    tenant = await seedTenant(app(), MARK)
    other = await seedTree(tenant.session, { workspaceId: tenant.workspaceId, mark: OTHER_MARK })
    await waitForJobs(app().storage, tenant.workspaceId)
    before = await rowsOfWorkspaces(app().storage, tenant.workspaceId)
  })

  async function send(route: Route, ids: Ids): Promise<Answer> {
    const { method, path, ...sent } = requestOf(route, ids)
    const caller = route.access.auth === 'session' ? tenant.session : tenant.key
    return caller.send(method, path, sent)
  }

  it.each(nested.map((route) => [nameOf(route), route] as const))(
    '%s finds nothing, whichever of its ids belongs elsewhere, and changes nothing',
    async (_name, route) => {
      for (const { name } of idSlotsOf(route)) {
        const { status, text } = await send(route, { ...tenant.ids, [name]: other[name] ?? '' })
        expect(status, `${name}: ${text}`).toBe(isMissedBy(route) ? 404 : 200)
        if (!isMissedBy(route)) expect(text, name).toBe('{"data":[]}')
        const crossed = await send(route, { ...other, [name]: tenant.ids[name] ?? '' })
        expect(crossed.status, `${name}: ${crossed.text}`).toBe(isMissedBy(route) ? 404 : 200)
      }
      if (route.method !== 'GET') expect(await rowsOfWorkspaces(app().storage, tenant.workspaceId)).toEqual(before)
    },
  )

  it.each([
    ['an annotation below another run of the same component', 'runId'],
    ['a run below another component', 'componentId'],
  ])('%s cannot be deleted', async (_name, moved) => {
    const { session, ids } = tenant
    const inComponent = `/components/${ids.componentId}`
    const second = await session.create(`${inComponent}/runs`, { datasetId: ids.datasetId })
    const path = `${inComponent}/runs/${moved === 'runId' ? second : other.runId}`
    const target = moved === 'runId' ? `${path}/annotations/${ids.annotationId}` : path
    const answer = await session.delete(target)
    expect(answer.status).toBe(404)
    const annotations = await session.list(`${inComponent}/runs/${ids.runId}/annotations`)
    expect(annotations.map(({ id }) => id)).toContain(ids.annotationId)
    expect((await session.get(`/components/${other.componentId}/runs/${other.runId}`)).status).toBe(200)
  })

  it('a run of another dataset of the same component is a mistake that is explained', async () => {
    const { session, ids } = tenant
    const inComponent = `/components/${ids.componentId}`
    const datasetId = await session.create(`${inComponent}/datasets`, { name: 'Second' })
    const { status, body } = await session.post(`${inComponent}/evaluations`, { datasetId, runId: ids.runId })
    expect(status).toBe(400)
    expect(body.error).toMatch(/run.*dataset/i)
  })

  describe('an Idempotency-Key', () => {
    it('of one workspace never returns the response of another, also not for a member of both', async () => {
      const first = await app().newWorkspace()
      const second = await app().newWorkspace()
      const person = await app().newPerson([
        { workspaceId: first.workspaceId, role: 'editor' },
        { workspaceId: second.workspaceId, role: 'editor' },
      ])
      const ids = new Set<unknown>()
      for (const client of [
        first.client,
        second.client,
        app().asPerson(person, first.workspaceId),
        app().asPerson(person, second.workspaceId),
      ]) {
        const { status, body } = await client.post('/components', { name: 'Same' }, { 'idempotency-key': 'same' })
        expect(status).toBe(201)
        ids.add(body.id)
        expect((await client.get(`/components/${body.id}`)).status).toBe(200)
      }
      expect(ids.size).toBe(4)
      expect(await first.client.list('/components')).toHaveLength(2)
      expect(await second.client.list('/components')).toHaveLength(2)
    })

    it('is of one path: below another component it is another request', async () => {
      const { session, ids } = tenant
      const headers = { 'idempotency-key': 'one per path' }
      const body = { name: 'Same body' }
      const here = await session.post(`/components/${ids.componentId}/datasets`, body, headers)
      const there = await session.post(`/components/${other.componentId}/datasets`, body, headers)
      expect([here.status, there.status]).toEqual([201, 201])
      expect(there.body.aiComponentId).toBe(other.componentId)
    })
  })
})
