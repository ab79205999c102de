/** Targets outside of the public internet that admins of all applications have allowed for model connections, as `host:port`. */
import { recordAudit } from '../auth/audit/audit.ts'
import { isAdminOfEveryWorkspace } from '../auth/installation-queries.ts'
import { findSetting, saveSetting } from '../auth/setup/instance-setting-queries.ts'
import { forbidden } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import type { Queries } from '../storage/db.ts'

export async function listAllowedTargets(q: Queries): Promise<string[]> {
  const stored = await findSetting(q, 'allowed-targets')
  return stored ? stored.value.split(' ').filter((target) => target !== '') : []
}

/** The targets are in their normal form. They hold for all applications, so the caller must be an admin of each. */
export async function saveAllowedTargets(
  { db, ...context }: Pick<Context, 'db' | 'newId' | 'requestId' | 'address'>,
  by: Principal,
  targets: readonly string[],
): Promise<string[]> {
  const { workspaceId } = by
  const saved = [...new Set(targets)].sort()
  await db.transaction(async (tx) => {
    await requireAdminOfAll(tx, by)
    await saveSetting(tx, 'allowed-targets', saved.join(' '), null)
    const detail = saved.join(', ') || 'none'
    const action = 'allowed-targets.changed'
    await recordAudit(tx, context, { by, workspaceId, action, resourceId: workspaceId, detail })
  })
  return saved
}

export async function requireAdminOfAll(q: Queries, { userId }: Principal): Promise<void> {
  if (await isAdminOfEveryWorkspace(q, userId)) return
  throw forbidden(
    'Allowed addresses hold for all applications of this server, so they require the role admin in each; ask its operator to set TOUCHSTONE_ALLOWED_EGRESS',
  )
}
