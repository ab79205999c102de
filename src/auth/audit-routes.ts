import { Type } from 'typebox'
import { list, route } from '../http/route.ts'
import { closed, Id, listOf, NullableString, Timestamp } from '../http/schemas.ts'
import { listAuditEvents } from './audit-queries.ts'

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

export const getAuditLog = route({
  method: 'GET',
  path: '/audit-log',
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'List the audit events of the application, newest first',
  tag: 'Members and keys',
  paged: true,
  responses: { 200: listOf(AuditEvent) },
  handle: async ({ db, principal, page }) => list(await listAuditEvents(db.read, principal.workspaceId, page)),
})
