import { createdAtOf, type NewId, NIL_ID } from '../base/ids.ts'
import type { Queries } from '../storage/db.ts'

/** One row of the audit log, in each of these workspaces. `actorId` undefined: nobody knows who it was. */
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

type SecurityAction = 'session.created' | 'session.rejected' | 'api-key.rejected' | 'access.denied'

/** Across workspaces, because a person signs in to all of theirs. The newest ones, should there be very many. */
export async function listWorkspaceIdsOfUser(q: Queries, userId: string): Promise<string[]> {
  const rows = await q
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
    .select('m.workspace_id as workspaceId')
    .where('m.user_id', '=', userId)
    .where('w.deleted_at', 'is', null)
    .orderBy('m.workspace_id', 'desc')
    .limit(WORKSPACES_MAX)
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

const WORKSPACES_MAX = 100

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
