/**
 * Stores a decision on two runs together with the numbers that it was made on. A decision is a record: it is never
 * changed, and a later one on the same runs supersedes it.
 *
 * In a run that is rated blindly, raters must not see what is derived from ratings, and the policy of a run may change
 * after the decision. If the author saw ratings, the comparison is therefore stored twice, with and without them, and the
 * reader gets one of the two (`read-decisions.ts`). If the author did not see them, neither does anyone else.
 */

import { recordAudit } from '../auth/audit/audit.ts'
import { badRequest, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { type Measured, measureSnapshot, type SnapshotRequest } from '../comparisons/report/read-snapshot.ts'
import { recordSnapshot } from '../comparisons/report/record-snapshot.ts'
import { lockComponent } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import { insertDecision, type StoredDecision } from './decision-queries.ts'

type Decided = Pick<StoredDecision, 'decision' | 'note'>

export type MeasuredDecision = Awaited<ReturnType<typeof measureDecision>>

/** The comparison as its author sees it, and the same without ratings if there are any in it. Changes nothing. */
export async function measureDecision({ db, clock }: Pick<Context, 'db' | 'clock'>, request: SnapshotRequest) {
  const found = await measureSnapshot(db.read, clock, request)
  const { metric } = request
  if (metric !== undefined && !found.measured.metrics.some(({ name }) => name === metric))
    throw badRequest('metric must be the name of a metric that both runs have')
  const open = (await measureSnapshot(db.read, clock, { ...request, withholdsRatings: true })).measured
  return { ...found, open: isSame(found.measured, open) ? null : open }
}

function isSame(one: Measured, other: Measured): boolean {
  const numbers = ({ comparedAt: _, ...measured }: Measured) => JSON.stringify(measured)
  return numbers(one) === numbers(other)
}

/** Returns the id of the decision. */
export async function recordDecision(
  { db, clock, newId, ...context }: Pick<Context, 'db' | 'clock' | 'newId' | 'requestId' | 'address'>,
  by: Principal,
  { componentId, found, decision, note }: Decided & { componentId: string; found: MeasuredDecision },
): Promise<string> {
  const { workspaceId, userId } = by
  const snapshot = await recordSnapshot({ db, clock }, { workspaceId, ...found })
  const { looks, warnings, testSet, baseline, candidate } = snapshot
  const open = found.open && { ...found.open, looks, warnings, testSet }
  const id = newId()
  await db.transaction(async (tx) => {
    if (!(await lockComponent(tx, workspaceId, componentId))) throw notFound('Component')
    await insertDecision(tx, {
      workspace_id: workspaceId,
      id,
      component_id: componentId,
      baseline_run_id: baseline.runId,
      candidate_run_id: candidate.runId,
      baseline_name: baseline.name,
      candidate_name: candidate.name,
      user_id: userId,
      decision,
      note,
      metric: snapshot.metric,
      margin: snapshot.margin,
      split: snapshot.split,
      verdict: snapshot.verdict,
      summary: snapshot.summary,
      snapshot: JSON.stringify(snapshot),
      verdict_without_ratings: open?.verdict ?? null,
      summary_without_ratings: open?.summary ?? null,
      snapshot_without_ratings: open && JSON.stringify(open),
      created_at: createdAtOf(id),
    })
    const event = { by, workspaceId, action: 'decision.recorded', resourceId: id, detail: decision } as const
    await recordAudit(tx, { newId, ...context }, event)
  })
  return id
}
