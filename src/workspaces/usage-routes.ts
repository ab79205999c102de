import { Type } from 'typebox'
import { timestamp } from '../base/clock.ts'
import { ok, type Route, route } from '../http/route.ts'
import { Count, closed, orNull, Timestamp } from '../http/schemas.ts'
import { dayOf, nextDay, type QuotaLimits } from './quotas.ts'
import { findUsage } from './usage-queries.ts'

const limit = orNull(Type.Integer({ minimum: 1 }))
const Used = closed({ used: Count, limit }, { title: 'QuotaUse' })

const WorkspaceUsage = closed(
  { resetsAt: Timestamp, spansToday: Used, evaluationsToday: Used, storedBytes: Used },
  { title: 'WorkspaceUsage' },
)

export function getUsage(limits: QuotaLimits): Route {
  return route({
    method: 'GET',
    path: '/workspace/usage',
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'Get the usage and the quotas of the current workspace',
    tag: 'Workspaces',
    responses: { 200: WorkspaceUsage },
    handle: async ({ db, clock, principal }) => {
      const usage = await findUsage(db.read, principal.workspaceId, dayOf(clock))
      return ok({
        resetsAt: timestamp(nextDay(clock)),
        spansToday: { used: usage.spans, limit: limits.spansPerDay ?? null },
        evaluationsToday: { used: usage.evaluations, limit: limits.evaluationsPerDay ?? null },
        storedBytes: { used: Math.max(0, usage.storedBytes), limit: limits.storedBytes ?? null },
      })
    },
  })
}
