import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { ok, route } from '../http/route.ts'
import { readSpending } from './read-spending.ts'
import { saveSpendingLimits } from './spending-queries.ts'
import { Spending, SpendingBody } from './spending-schemas.ts'

const tag = 'Spending'

const getSpending = route({
  method: 'GET',
  path: '/spending',
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get what calls of models have cost today and in 30 days, by kind, and the limits',
  tag,
  responses: { 200: Spending },
  handle: async ({ db, clock, principal }) => ok(await readSpending(db.read, clock, principal.workspaceId)),
})

const putSpending = route({
  method: 'PUT',
  path: '/spending',
  // Not for API keys, as the connections, which determine who pays.
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'Set how much all calls of models may cost in a day and in 30 days',
  tag,
  body: SpendingBody,
  responses: { 200: Spending },
  handle: async ({ db, principal, body, ...context }) => {
    const { workspaceId } = principal
    const { clock } = context
    return ok(
      await db.transaction(async (tx) => {
        await saveSpendingLimits(tx, workspaceId, { ...body, now: timestamp(clock.now()) })
        const detail = `${body.maxUsdPerDay ?? 'none'} per day, ${body.maxUsdPer30Days ?? 'none'} per 30 days`
        await recordAudit(tx, context, {
          by: principal,
          workspaceId,
          action: 'spending.changed',
          resourceId: workspaceId,
          detail,
        })
        return readSpending(tx, clock, workspaceId)
      }),
    )
  },
})

export const spendingRoutes = [getSpending, putSpending]
