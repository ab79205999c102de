import { Type } from 'typebox'
import { recordAudit } from '../../auth/audit/audit.ts'
import { ok, route } from '../../http/route.ts'
import { Count, closed, NullableTimestamp, orNull } from '../../http/schemas.ts'
import type { Queries } from '../../storage/db.ts'
import { findRetention, saveRetentionDays } from './retention-queries.ts'

const tag = 'Retention'

const DAYS_MAX = 3_650

const Days = orNull(
  Type.Integer({
    minimum: 1,
    maximum: DAYS_MAX,
    description: 'For how many days traces are kept after they arrived; null keeps them for ever',
  }),
)

const RetentionBody = closed({ days: Days })

const Retention = closed(
  {
    days: Days,
    state: Type.Enum(['idle', 'clearing'], { type: 'string' }),
    /** The counts of the current clearing, or of the last one. */
    tracesDeleted: Count,
    tracesLeft: Count,
    startedAt: NullableTimestamp,
    finishedAt: NullableTimestamp,
  },
  { title: 'Retention' },
)

const getRetention = route({
  method: 'GET',
  path: '/retention',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get the retention period for traces and the progress of the last cleanup',
  tag,
  responses: { 200: Retention },
  handle: async ({ db, principal }) => ok(await readRetention(db.read, principal.workspaceId)),
})

const putRetention = route({
  method: 'PUT',
  path: '/retention',
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'Set the retention period for traces; older traces are deleted permanently within minutes',
  tag,
  body: RetentionBody,
  responses: { 200: Retention },
  handle: async ({ db, principal, body, ...context }) => {
    const { workspaceId } = principal
    return ok(
      await db.transaction(async (tx) => {
        await saveRetentionDays(tx, workspaceId, body.days)
        const event = { by: principal, workspaceId, action: 'retention.changed', resourceId: workspaceId } as const
        await recordAudit(tx, context, event)
        return readRetention(tx, workspaceId)
      }),
    )
  },
})

export const retentionRoutes = [getRetention, putRetention]

const NEVER_SET = { days: null, state: 'idle', tracesDeleted: 0, tracesLeft: 0, startedAt: null, finishedAt: null }

async function readRetention(q: Queries, workspaceId: string) {
  return (await findRetention(q, workspaceId)) ?? NEVER_SET
}
