import { Type } from 'typebox'
import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import { readBoolean } from '../../http/query-parameters.ts'
import { created, list, noContent, route } from '../../http/route.ts'
import { closed, Id, listOf, Name, NullableTimestamp, orNull, queryText } from '../../http/schemas.ts'
import { recordAudit } from '../audit/audit.ts'
import { deleteApiKey, listApiKeys } from './api-key-queries.ts'
import { ApiKey, KeyRole } from './api-key-schemas.ts'
import { createOwnApiKey, KEY_DAYS_MAX, keysVisibleTo, readExpiry } from './create-api-key.ts'

const CreatedApiKey = closed({ ...ApiKey.properties, key: Type.String() }, { title: 'CreatedApiKey' })
const NullableDays = orNull(Type.Integer({ minimum: 1, maximum: KEY_DAYS_MAX }))

const access = { auth: 'session', workspace: 'header', role: 'viewer' } as const
const tag = 'Members and keys'

const getApiKeys = route({
  method: 'GET',
  path: '/api-keys',
  access,
  summary: 'List the caller’s API keys, newest first; admins see all keys of the application',
  tag,
  query: closed({
    mine: queryText({ type: 'boolean', default: false, description: 'Only keys that the caller created' }),
  }),
  paged: true,
  responses: { 200: listOf(ApiKey) },
  handle: async ({ db, principal, query, page }) => {
    const createdBy = readBoolean('mine', query.mine ?? 'false') ? principal.userId : keysVisibleTo(principal)
    return list(await listApiKeys(db.read, principal.workspaceId, page, createdBy))
  },
})

const postApiKey = route({
  method: 'POST',
  path: '/api-keys',
  access,
  summary: 'Create an API key with at most the caller’s role; only this response contains the key',
  tag,
  body: closed({
    name: Name,
    role: Type.Optional(KeyRole),
    expiresAt: Type.Optional(NullableTimestamp),
    expiresInDays: Type.Optional(NullableDays),
  }),
  returnsSecret: true,
  responses: { 201: CreatedApiKey },
  handle: async ({ db, principal, body, ...context }) => {
    const expiresAt = readExpiry(body, context.clock.now())
    const wanted = { ...body, expiresAt }
    return created(await db.transaction((tx) => createOwnApiKey({ ...context, tx, by: principal }, wanted)))
  },
})

const removeApiKey = route({
  method: 'DELETE',
  path: '/api-keys/:keyId',
  access,
  summary: 'Revoke one of the caller’s API keys; admins can revoke any key of the application',
  tag,
  params: closed({ keyId: Id }),
  responses: { 204: null },
  handle: async ({ db, principal, params, ...context }) => {
    await db.transaction(async (tx) => {
      const { workspaceId } = principal
      const revocation = { revokedBy: principal.userId, revokedAt: timestamp(context.clock.now()) }
      const key = { workspaceId, keyId: params.keyId, createdBy: keysVisibleTo(principal) }
      const revoked = await deleteApiKey(tx, key, revocation)
      if (!revoked) throw notFound('API key')
      const event = { by: principal, workspaceId, action: 'api-key.revoked', resourceId: revoked.id } as const
      await recordAudit(tx, context, { ...event, detail: revoked.role })
    })
    return noContent()
  },
})

export const apiKeyRoutes = [getApiKeys, postApiKey, removeApiKey]
