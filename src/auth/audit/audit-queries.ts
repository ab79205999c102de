import { createdAtOf } from '../../base/ids.ts'
import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { listPage } from '../../storage/list-page.ts'
import { selectScoped } from '../../storage/query-building.ts'

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

export type AuditFilter = {
  /** Names of actions, such as `member.left`, or of what they concern, such as `member`: lower-case letters and dashes. */
  actions: readonly string[]
  actorId?: string | undefined
  createdAfter?: string | undefined
  createdBefore?: string | undefined
  /** Events that are listed after the one with this id. */
  beforeId?: string | undefined
}

export async function listAuditEvents(q: Queries, workspaceId: string, filter: AuditFilter, page: Page) {
  let events = selectScoped(q, 'audit_events', { workspace_id: workspaceId })
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
    .orderBy('id', 'desc')
  const { actions, actorId, createdAfter, createdBefore, beforeId } = filter
  if (actions.length > 0) {
    events = events.where((or) =>
      or.or(actions.map((name) => (name.includes('.') ? or('action', '=', name) : or('action', 'like', `${name}.%`)))),
    )
  }
  if (actorId !== undefined) events = events.where('actor_id', '=', actorId)
  if (createdAfter !== undefined) events = events.where('created_at', '>=', createdAfter)
  if (createdBefore !== undefined) events = events.where('created_at', '<', createdBefore)
  if (beforeId !== undefined) events = events.where('id', '<', beforeId)
  return listPage(q, events, page)
}
