import { Type } from 'typebox'
import { notFound } from '../base/errors.ts'
import { created, list, noContent, route } from '../http/route.ts'
import { closed, Id, listOf, Name, NullableTimestamp, Timestamp } from '../http/schemas.ts'
import { deleteApiKey, listApiKeys } from './api-key-queries.ts'
import { recordAudit } from './audit.ts'
import { createApiKey, readExpiry } from './create-api-key.ts'

const fields = {
  id: Id,
  name: Type.String(),
  prefix: Type.String(),
  lastFour: Type.String(),
  createdBy: Id,
  createdAt: Timestamp,
  lastUsedAt: NullableTimestamp,
  expiresAt: NullableTimestamp,
}
const ApiKey = closed(fields, { title: 'ApiKey' })
const CreatedApiKey = closed({ ...fields, key: Type.String() }, { title: 'CreatedApiKey' })

const access = { auth: 'session', workspace: 'header', role: 'admin' } as const
const tag = 'Members and keys'

export const getApiKeys = route({
  method: 'GET',
  path: '/api-keys',
  access,
  summary: 'Lists the API keys of the application, newest first',
  tag,
  paged: true,
  responses: { 200: listOf(ApiKey) },
  handle: async ({ db, principal, page }) => list(await listApiKeys(db.read, principal.workspaceId, page)),
})

export const postApiKey = route({
  method: 'POST',
  path: '/api-keys',
  access,
  summary: 'Makes an API key; the key itself is in this answer and never again',
  tag,
  body: closed({ name: Name, expiresAt: Type.Optional(NullableTimestamp) }),
  answersSecret: true,
  responses: { 201: CreatedApiKey },
  handle: async ({ db, principal, body, ...context }) =>
    created(
      await db.transaction(async (tx) => {
        const { workspaceId, userId } = principal
        const expiresAt = readExpiry(body.expiresAt, context.clock.now())
        const key = await createApiKey(tx, context, { workspaceId, createdBy: userId, name: body.name, expiresAt })
        await recordAudit(tx, context, { by: principal, workspaceId, action: 'api-key.created', resourceId: key.id })
        return key
      }),
    ),
})

export const removeApiKey = route({
  method: 'DELETE',
  path: '/api-keys/:keyId',
  access,
  summary: 'Revokes an API key; it stops working at once',
  tag,
  params: closed({ keyId: Id }),
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    await db.transaction(async (tx) => {
      const { workspaceId } = principal
      if (!(await deleteApiKey(tx, workspaceId, params.keyId))) throw notFound('API key')
      await recordAudit(tx, context, {
        by: principal,
        workspaceId,
        action: 'api-key.revoked',
        resourceId: params.keyId,
      })
    })
    return noContent()
  },
})
