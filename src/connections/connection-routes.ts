import { recordAudit } from '../auth/audit/audit.ts'
import { notFound } from '../base/errors.ts'
import { created, list, noContent, ok, type Route, route } from '../http/route.ts'
import { listOf } from '../http/schemas.ts'
import { changeConnection } from './change-connection.ts'
import { deleteConnection, findConnectionById, listConnections } from './connection-queries.ts'
import {
  ChangeConnectionBody,
  Connection,
  ConnectionParams,
  ConnectionTest,
  CreateConnectionBody,
} from './connection-schemas.ts'
import { type ConnectionDeps, checkBaseUrl, createConnection } from './create-connection.ts'
import { testConnection } from './test-connection.ts'

const tag = 'Model connections'
/** Users who start evaluations need to see the connections. */
const reading = { auth: 'key-or-session', workspace: 'header', role: 'editor' } as const
/** Not for API keys, which are editors at most: a connection determines where traces are sent and who pays. */
const managing = { auth: 'session', workspace: 'header', role: 'admin' } as const

const getConnections = route({
  method: 'GET',
  path: '/connections',
  access: reading,
  summary: 'List the model connections of the application, newest first, without their keys',
  tag,
  paged: true,
  responses: { 200: listOf(Connection) },
  handle: async ({ db, principal, page }) => list(await listConnections(db.read, principal.workspaceId, page)),
})

const getConnection = route({
  method: 'GET',
  path: '/connections/:connectionId',
  access: reading,
  summary: 'Get a model connection, without its key',
  tag,
  params: ConnectionParams,
  responses: { 200: Connection },
  handle: async ({ db, principal, params }) => {
    const connection = await findConnectionById(db.read, principal.workspaceId, params.connectionId)
    if (!connection) throw notFound('Connection')
    return ok(connection)
  },
})

const removeConnection = route({
  method: 'DELETE',
  path: '/connections/:connectionId',
  access: managing,
  summary: 'Delete a model connection with its key; evaluations that use it will fail',
  tag,
  params: ConnectionParams,
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    const { workspaceId } = principal
    const resourceId = params.connectionId
    await db.transaction(async (tx) => {
      if (!(await deleteConnection(tx, workspaceId, resourceId))) throw notFound('Connection')
      await recordAudit(tx, context, { by: principal, workspaceId, action: 'connection.deleted', resourceId })
    })
    return noContent()
  },
})

export function connectionRoutes(parts: ConnectionDeps): Route[] {
  const postConnection = route({
    method: 'POST',
    path: '/connections',
    access: managing,
    summary:
      'Create a connection to an OpenAI-compatible endpoint, Anthropic or Gemini; its key is encrypted and never returned',
    tag,
    body: CreateConnectionBody,
    responses: { 201: Connection },
    prepare: ({ db, body }) => checkBaseUrl({ db, egress: parts.egress }, body.baseUrl),
    handle: async ({ principal, body, prepared: baseUrl, ...context }) =>
      created(await createConnection({ ...context, secrets: parts.secrets }, principal, { ...body, baseUrl })),
  })

  const patchConnection = route({
    method: 'PATCH',
    path: '/connections/:connectionId',
    access: managing,
    summary: 'Update a model connection; a new base URL removes the key unless the request contains it',
    tag,
    params: ConnectionParams,
    body: ChangeConnectionBody,
    responses: { 200: Connection },
    prepare: ({ db, body }) => checkBaseUrl({ db, egress: parts.egress }, body.baseUrl),
    handle: async ({ principal, params, body, prepared: baseUrl, ...context }) =>
      ok(await changeConnection({ ...context, secrets: parts.secrets }, principal, { ...params, ...body, baseUrl })),
  })

  const postConnectionTest = route({
    method: 'POST',
    path: '/connections/:connectionId/test',
    access: managing,
    summary: 'Test a connection by requesting the models of its endpoint',
    tag,
    params: ConnectionParams,
    responses: { 200: ConnectionTest },
    prepare: ({ principal, params, ...context }) =>
      testConnection({ ...context, ...parts }, principal.workspaceId, params.connectionId),
    handle: async ({ prepared }) => ok(prepared),
  })

  return [getConnections, postConnection, getConnection, patchConnection, removeConnection, postConnectionTest]
}
