import { type Static, Type } from 'typebox'
import { timestamp } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'
import { isUuid } from '../../base/ids.ts'
import type { Page } from '../../base/page.ts'
import { parseDateTime } from '../../base/rfc3339.ts'
import { list, route } from '../../http/route.ts'
import { closed, Id, listOf, NullableString, queryText, Timestamp } from '../../http/schemas.ts'
import { type AuditFilter, listAuditEvents } from './audit-queries.ts'

const AuditEvent = closed(
  {
    id: Id,
    actorId: Id,
    actorKind: Type.String(),
    action: Type.String(),
    resourceId: NullableString,
    detail: NullableString,
    requestId: Type.String(),
    address: NullableString,
    count: Type.Integer({ minimum: 1 }),
    createdAt: Timestamp,
  },
  { title: 'AuditEvent' },
)

const AuditQuery = closed({
  action: queryText({
    type: 'string',
    pattern: '^[a-z-]+(\\.[a-z-]+)?(,[a-z-]+(\\.[a-z-]+)?)*$',
    description: 'Actions such as member.left, or families of them such as member; several separated by commas',
  }),
  actor_id: queryText({ type: 'string', format: 'uuid', description: 'Events of this user' }),
  created_after: queryText({ type: 'string', format: 'date-time', description: 'At or after this time' }),
  created_before: queryText({ type: 'string', format: 'date-time', description: 'Before this time' }),
  cursor: queryText({
    type: 'string',
    format: 'uuid',
    description: 'The id of the last event of the previous page; unlike an offset, new events do not shift it',
  }),
})

export const getAuditLog = route({
  method: 'GET',
  path: '/audit-log',
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'List the audit events of the application, newest first, with filters',
  tag: 'Members and keys',
  query: AuditQuery,
  paged: true,
  responses: { 200: listOf(AuditEvent) },
  handle: async ({ db, principal, query, page }) =>
    list(await listAuditEvents(db.read, principal.workspaceId, readFilter(query, page), page)),
})

function readFilter(query: Static<typeof AuditQuery>, { offset }: Page): AuditFilter {
  const { action, actor_id, created_after, created_before, cursor } = query
  const actions = action === undefined ? [] : action.split(',')
  if (!actions.every((name) => /^[a-z-]+(\.[a-z-]+)?$/.test(name)))
    throw badRequest('The query parameter action must be names such as member or member.left, separated by commas')
  if (cursor !== undefined && offset > 0) throw badRequest('The query parameters cursor and offset cannot be combined')
  return {
    actions,
    actorId: readId('actor_id', actor_id),
    beforeId: readId('cursor', cursor),
    createdAfter: readTime('created_after', created_after),
    createdBefore: readTime('created_before', created_before),
  }
}

function readId(name: string, text: string | undefined): string | undefined {
  if (text !== undefined && !isUuid(text)) throw badRequest(`The query parameter ${name} must be a UUID`)
  return text?.toLowerCase()
}

function readTime(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const ns = parseDateTime(text)
  if (ns !== undefined) return timestamp(Number(ns / 1_000_000n))
  throw badRequest(`The query parameter ${name} must be a date-time of RFC 3339 (2026-11-14T09:30:00Z)`)
}
