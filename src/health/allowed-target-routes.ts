import { Type } from 'typebox'
import { isAdminOfEveryWorkspace } from '../auth/installation-queries.ts'
import type { Egress } from '../egress/egress-guard.ts'
import { ok, type Route, route } from '../http/route.ts'
import { closed } from '../http/schemas.ts'
import { listAllowedTargets, requireAdminOfAll, saveAllowedTargets } from './allowed-targets.ts'

const TARGETS_MAX = 100

const targets = Type.Array(Type.String({ minLength: 3, maxLength: 300, description: 'A host and a port' }), {
  maxItems: TARGETS_MAX,
})
const AllowedTargets = closed(
  {
    targets,
    /** False for admins of one application of several. They do not see the targets: the network is that of the operator. */
    mayChange: Type.Boolean(),
  },
  { title: 'AllowedTargets' },
)

const path = '/instance/allowed-targets'
const tag = 'Model connections'
/** Not for API keys: a target is an address in the network of the operator. */
const access = { auth: 'session', workspace: 'header', role: 'admin' } as const

export function allowedTargetRoutes({ egress }: { egress: Egress }): Route[] {
  return [
    route({
      method: 'GET',
      path,
      access,
      summary: 'List the addresses outside of the public internet that admins of all applications have allowed',
      tag,
      responses: { 200: AllowedTargets },
      handle: async ({ db, principal }) => {
        const mayChange = await isAdminOfEveryWorkspace(db.read, principal.userId)
        return ok({ targets: mayChange ? await listAllowedTargets(db.read) : [], mayChange })
      },
    }),
    route({
      method: 'PUT',
      path,
      access,
      summary: 'Replace the allowed addresses, within what the setting TOUCHSTONE_ALLOWABLE_EGRESS permits',
      tag,
      body: closed({ targets }, { title: 'AllowedTargetsBody' }),
      responses: { 200: AllowedTargets },
      prepare: async ({ db, principal, body }) => {
        // Before names are resolved: who may not save must not learn which are permitted.
        await requireAdminOfAll(db.read, principal)
        const known = await listAllowedTargets(db.read)
        return Promise.all(
          body.targets.map((target) => (known.includes(target) ? target : egress.checkAllowable(target))),
        )
      },
      handle: async ({ principal, body: _, prepared, ...context }) =>
        ok({ targets: await saveAllowedTargets(context, principal, prepared), mayChange: true }),
    }),
  ]
}
