import { Type } from 'typebox'
import { conflict } from '../../base/errors.ts'
import { ok, type Route, route } from '../../http/route.ts'
import { Count, closed, ErrorBody } from '../../http/schemas.ts'
import { recordAudit } from '../audit/audit.ts'
import {
  findFactorRequirement,
  lacksFactor,
  updateFactorRequirement,
} from '../second-factor/required-factor-queries.ts'
import { lockAsMember, type Operation } from './member-rules.ts'

const SecuritySettings = closed(
  {
    requiresSecondFactor: Type.Boolean({
      description: 'Whether members without a second factor, and their API keys, get 403 until they turn one on',
    }),
    membersWithoutSecondFactor: Count,
  },
  { title: 'SecuritySettings' },
)

const path = '/security-settings'
const tag = 'Members and keys'

export const securitySettingRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    access: { auth: 'session', workspace: 'header', role: 'admin' },
    summary: 'Get whether the application requires a second factor, and how many members have none',
    tag,
    responses: { 200: SecuritySettings },
    handle: async ({ db, principal }) => ok(await findFactorRequirement(db.read, principal.workspaceId)),
  }),
  route({
    method: 'PATCH',
    path,
    access: { auth: 'session', workspace: 'header', role: 'admin' },
    summary: 'Change whether the application requires a second factor; the caller must have one',
    tag,
    body: closed({ requiresSecondFactor: Type.Boolean() }),
    responses: { 200: SecuritySettings, 409: ErrorBody },
    handle: async ({ db, principal, body, ...context }) =>
      ok(
        await db.transaction((tx) =>
          saveFactorRequirement({ ...context, tx, by: principal }, body.requiresSecondFactor),
        ),
      ),
  }),
]

async function saveFactorRequirement({ tx, by, ...context }: Operation, isRequired: boolean) {
  const { workspaceId } = by
  await lockAsMember(tx, by, 'admin')
  if (isRequired && (await lacksFactor(tx, by.userId)))
    throw conflict('Turn on your own second factor first; otherwise you would lose access to the application yourself')
  await updateFactorRequirement(tx, workspaceId, isRequired)
  const detail = isRequired ? 'second factor required' : 'second factor optional'
  await recordAudit(tx, context, { by, workspaceId, action: 'security.changed', resourceId: workspaceId, detail })
  return findFactorRequirement(tx, workspaceId)
}
