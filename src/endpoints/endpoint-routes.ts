import { recordAudit } from '../auth/audit/audit.ts'
import { notFound } from '../base/errors.ts'
import { created, list, noContent, ok, type Route, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { changeEndpoint } from './change-endpoint.ts'
import { checkEndpointUrl, createEndpoint } from './create-endpoint.ts'
import { deleteEndpoint, findEndpointById, listEndpoints } from './endpoint-queries.ts'
import {
  ChangeEndpointBody,
  CreateEndpointBody,
  Endpoint,
  EndpointParams,
  EndpointTest,
  TestEndpointBody,
} from './endpoint-schemas.ts'
import { type EndpointDeps, testEndpoint } from './test-endpoint.ts'

const tag = 'Endpoints'
const reading = { auth: 'key-or-session', workspace: 'header', role: 'viewer' } as const
/** Not for API keys, which are editors at most: an endpoint determines where inputs are sent, and with which credentials. */
const managing = { auth: 'session', workspace: 'header', role: 'admin' } as const

const getEndpoints = route({
  method: 'GET',
  path: '/endpoints',
  access: reading,
  summary: 'List the endpoints of the application, newest first, without the values of their headers',
  tag,
  paged: true,
  responses: { 200: listOf(Endpoint) },
  handle: async ({ db, principal, page }) => list(await listEndpoints(db.read, principal.workspaceId, page)),
})

const getEndpoint = route({
  method: 'GET',
  path: '/endpoints/:endpointId',
  access: reading,
  summary: 'Get an endpoint, without the values of its headers',
  tag,
  params: EndpointParams,
  responses: { 200: Endpoint },
  handle: async ({ db, principal, params }) => {
    const endpoint = await findEndpointById(db.read, principal.workspaceId, params.endpointId)
    if (!endpoint) throw notFound('Endpoint')
    return ok(endpoint)
  },
})

const removeEndpoint = route({
  method: 'DELETE',
  path: '/endpoints/:endpointId',
  access: managing,
  summary: 'Delete an endpoint with its headers',
  tag,
  params: EndpointParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    const resourceId = params.endpointId
    await db.transaction(async (tx) => {
      if (!(await deleteEndpoint(tx, workspaceId, resourceId))) throw notFound('Endpoint')
      await recordAudit(tx, context, { by: principal, workspaceId, action: 'endpoint.deleted', resourceId })
    })
    return noContent()
  },
})

export function endpointRoutes({ secrets, egress, hostLimits }: EndpointDeps): Route[] {
  const postEndpoint = route({
    method: 'POST',
    path: '/endpoints',
    access: managing,
    summary:
      'Create an endpoint: an HTTP service of yours that trials call; its headers are encrypted and never returned',
    tag,
    body: CreateEndpointBody,
    responses: { 201: Endpoint },
    prepare: ({ db, body }) => checkEndpointUrl({ db, egress }, body.baseUrl),
    handle: async ({ principal, body, prepared: baseUrl, ...context }) =>
      created(await createEndpoint({ ...context, secrets }, principal, { ...body, baseUrl })),
  })

  const patchEndpoint = route({
    method: 'PATCH',
    path: '/endpoints/:endpointId',
    access: managing,
    summary: 'Update an endpoint; a new base URL removes the headers that the request does not contain',
    tag,
    params: EndpointParams,
    body: ChangeEndpointBody,
    responses: { 200: Endpoint },
    prepare: async ({ db, body }) =>
      body.baseUrl === undefined ? undefined : checkEndpointUrl({ db, egress }, body.baseUrl),
    handle: async ({ principal, params, body, prepared: baseUrl, ...context }) =>
      ok(await changeEndpoint({ ...context, secrets }, principal, { ...params, ...body, baseUrl })),
  })

  const postEndpointTest = route({
    method: 'POST',
    path: '/endpoints/:endpointId/test',
    access: managing,
    summary: 'Test an endpoint by calling it once with a body, and find the output in its answer',
    tag,
    params: EndpointParams,
    body: TestEndpointBody,
    responses: { 200: EndpointTest },
    prepare: ({ principal, params, body, db, clock }) =>
      testEndpoint({ db, clock, secrets, egress, hostLimits }, principal, { ...params, ...body }),
    handle: async ({ prepared }) => ok(prepared),
  })

  return [getEndpoints, postEndpoint, getEndpoint, patchEndpoint, removeEndpoint, postEndpointTest]
}
