import { createdAtOf, type NewId, NIL_ID } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'

/** One row of the audit log in each of these workspaces. `actorId` is undefined if the actor is unknown. */
export type CountedEvent = {
  workspaceIds: readonly string[]
  actorId: string | undefined
  actorKind: 'session' | 'api-key' | 'anonymous'
  action: SecurityAction
  resourceId: string
  requestId: string
  address: string
  count: number
}

type SecurityAction =
  | 'session.created'
  | 'session.rejected'
  | 'session.code-rejected'
  | 'api-key.rejected'
  | 'access.denied'

export async function insertCountedEvents(tx: Queries, newId: NewId, event: CountedEvent): Promise<void> {
  const rows = event.workspaceIds.map((workspaceId) => {
    const id = newId()
    return {
      workspace_id: workspaceId,
      id,
      actor_id: event.actorId ?? NIL_ID,
      actor_kind: event.actorKind,
      action: event.action,
      resource_id: event.resourceId,
      request_id: event.requestId,
      address: event.address,
      created_at: createdAtOf(id),
      count: event.count,
    }
  })
  if (rows.length > 0) await tx.insertInto('audit_events').values(rows).execute()
}
