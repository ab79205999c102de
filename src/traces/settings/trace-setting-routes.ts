import { Type } from 'typebox'
import { recordAudit } from '../../auth/audit/audit.ts'
import { ok, route } from '../../http/route.ts'
import { closed } from '../../http/schemas.ts'
import { createsComponents, saveCreatesComponents } from './trace-setting-queries.ts'

const TraceSettings = closed(
  {
    createsComponents: Type.Boolean({
      description: 'Whether traces that name a component that does not exist create it',
    }),
  },
  { title: 'TraceSettings' },
)

const path = '/trace-settings'
const tag = 'Traces'

const getTraceSettings = route({
  method: 'GET',
  path,
  access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
  summary: 'Get whether traces create the components that they name',
  tag,
  responses: { 200: TraceSettings },
  handle: async ({ db, principal: { workspaceId } }) =>
    ok({ createsComponents: await createsComponents(db.read, workspaceId) }),
})

const putTraceSettings = route({
  method: 'PUT',
  path,
  access: { auth: 'session', workspace: 'header', role: 'admin' },
  summary: 'Set whether traces create the components that they name',
  tag,
  body: TraceSettings,
  responses: { 200: TraceSettings },
  handle: async ({ db, principal, body, ...context }) => {
    const { workspaceId } = principal
    const detail = body.createsComponents ? 'components created' : 'components not created'
    const event = { by: principal, workspaceId, action: 'trace-settings.changed', resourceId: workspaceId } as const
    await db.transaction(async (tx) => {
      await saveCreatesComponents(tx, workspaceId, body.createsComponents)
      await recordAudit(tx, context, { ...event, detail })
    })
    return ok(body)
  },
})

export const traceSettingRoutes = [getTraceSettings, putTraceSettings]
