import { createdAtOf } from '../base/ids.ts'
import type { Page } from '../base/page.ts'
import type { Queries } from '../storage/db.ts'
import { listPage } from '../storage/list-page.ts'

type NewAuditEvent = {
  workspaceId: string
  id: string
  by: { userId: string; kind: string }
  action: string
  resourceId: string
  requestId: string
  address: string
  detail?: string
}

export async function insertAuditEvent(tx: Queries, event: NewAuditEvent): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({
      workspace_id: event.workspaceId,
      id: event.id,
      actor_id: event.by.userId,
      actor_kind: event.by.kind,
      action: event.action,
      resource_id: event.resourceId,
      request_id: event.requestId,
      address: event.address,
      created_at: createdAtOf(event.id),
      detail: event.detail ?? null,
    })
    .execute()
}

export async function listAuditEvents(q: Queries, workspaceId: string, page: Page) {
  const events = q
    .selectFrom('audit_events')
    .select([
      'id',
      'actor_id as actorId',
      'actor_kind as actorKind',
      'action',
      'resource_id as resourceId',
      'detail',
      'request_id as requestId',
      'address',
      'count',
      'created_at as createdAt',
    ])
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
  return listPage(q, events, page)
}
