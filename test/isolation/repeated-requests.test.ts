/** Every POST route, sent twice with one Idempotency-Key. */
import { beforeAll, expect, it } from 'vitest'
import { type Route, storesResponse } from '../../src/http/route.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { nameOf, ownAnswerOf, ROUTES, type RouteRequest, requestOf } from './route-requests.ts'
import { seedTenant, type Tenant } from './seed-tree.ts'

const POSTS = ROUTES.filter((route) => route.isRepeatable || storesResponse(route))

describeEachEngine('a request with an Idempotency-Key', (app) => {
  let tenant: Tenant

  beforeAll(async () => {
    tenant = await seedTenant(app(), 'mark-of-the-tenant')
  })

  it.each(POSTS.map((route) => [nameOf(route), route] as const))(
    '%s gets the response that it gets without one, and the same when it is repeated',
    async (name, route) => {
      const headers = { 'idempotency-key': name }
      const request = requestOf(route, tenant.ids)
      const first = await send(route, request, headers)
      const second = await send(route, request, headers)
      // The tree has no open invitation.
      const expected = route.path === '/invitations/accept' ? 404 : ownAnswerOf(route)
      expect(first.status, first.text).toBe(expected)
      expect({ ...second, headers: {} }).toEqual({ ...first, headers: {} })
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'))
    },
  )

  async function send(route: Route, request: RouteRequest, key: Record<string, string>) {
    const { method, path, headers, ...sent } = request
    const caller = route.access.auth === 'session' ? tenant.session : tenant.key
    return caller.send(method, path, { ...sent, headers: { ...headers, ...key } })
  }

  it('deletes by a query what the query finds, once', async () => {
    const { key } = tenant
    const trace = { name: 'to be deleted', input: 'quagga' }
    await key.create(`/components/${tenant.ids.componentId}/traces`, trace)
    const body = { q: 'quagga', expectedCount: 1 }
    const bulkDelete = () => key.post('/traces/bulk-delete', body, { 'idempotency-key': 'delete the quagga' })
    expect((await bulkDelete()).body).toEqual({ deleted: 1 })
    expect((await bulkDelete()).body).toEqual({ deleted: 1 })
    expect(await key.list('/traces?q=quagga')).toEqual([])
  })
})
