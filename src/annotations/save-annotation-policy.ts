import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { deleteLeases } from './queue/lease-queries.ts'
import {
  type AnnotationPolicy,
  deleteAnnotationPolicy,
  NO_POLICY,
  type RunScope,
  upsertAnnotationPolicy,
} from './rating-rule-queries.ts'

type Services = Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>
type RunOfComponent = { componentId: string; runId: string }
type PolicyChanges = { ratersPerItem?: number | null; blind?: boolean; ratings?: string[] | null }

/** Sets the annotation policy of a run. Existing annotations are kept even if the policy does not allow them. */
export async function saveAnnotationPolicy(
  { db, ...context }: Services,
  by: Principal,
  { componentId, runId, changes }: RunOfComponent & { changes: PolicyChanges },
): Promise<AnnotationPolicy> {
  const scope = { workspaceId: by.workspaceId, runId }
  const policy = { ...NO_POLICY, ...changes }
  await db.transaction(async (tx) => {
    if (!(await lockRun(tx, { ...scope, componentId }))) throw notFound('Run')
    await upsertAnnotationPolicy(tx, { ...scope, policy, now: timestamp(context.clock.now()) })
    if (policy.ratersPerItem === null) await deleteLeases(tx, scope)
    await recordChange(tx, context, by, scope)
  })
  return policy
}

/** Does nothing if the run has no policy. */
export async function removeAnnotationPolicy(
  { db, ...context }: Services,
  by: Principal,
  { componentId, runId }: RunOfComponent,
): Promise<void> {
  const scope = { workspaceId: by.workspaceId, runId }
  await db.transaction(async (tx) => {
    if (!(await lockRun(tx, { ...scope, componentId }))) throw notFound('Run')
    if (!(await deleteAnnotationPolicy(tx, scope))) return
    await deleteLeases(tx, scope)
    await recordChange(tx, context, by, scope)
  })
}

/** Recorded in the audit log because disabling blind rating reveals ratings to the raters. */
async function recordChange(
  tx: Queries,
  context: Omit<Services, 'db'>,
  by: Principal,
  { workspaceId, runId }: RunScope,
): Promise<void> {
  await recordAudit(tx, context, { by, workspaceId, action: 'annotation-policy.changed', resourceId: runId })
}
