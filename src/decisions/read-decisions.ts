/** Decisions as a reader may see them: without what is derived from ratings in a run that the reader must rate blindly. */

import { listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Snapshot } from '../comparisons/report/read-snapshot.ts'
import { comparisonReport } from '../comparisons/report/report-html.ts'
import { cutPage, type KeysetPage } from '../overviews/keyset-page.ts'
import type { Queries } from '../storage/db.ts'
import { findDecision, listDecisionsAfter, type StoredDecision } from './decision-queries.ts'

type DecisionScope = { componentId: string; decisionId: string }

export async function readDecisions(
  q: Queries,
  { workspaceId, userId }: Principal,
  {
    limit,
    ...scope
  }: KeysetPage & { componentId: string; baselineRunId: string | undefined; candidateRunId: string | undefined },
) {
  const { page, nextCursor } = cutPage(await listDecisionsAfter(q, { workspaceId, limit, ...scope }), limit)
  const blindRuns = await listBlindRuns(q, { workspaceId, readerId: userId })
  return { data: page.map((decision) => shown(decision, hidesRatings(decision, blindRuns))), nextCursor }
}

/** Throws 404 if it does not exist. */
export async function readDecision(q: Queries, { workspaceId, userId }: Principal, scope: DecisionScope) {
  const found = await findDecision(q, { workspaceId, ...scope })
  if (!found) throw notFound('Decision')
  const { snapshot, snapshotWithoutRatings, ...decision } = found
  const isHidden = hidesRatings(decision, await listBlindRuns(q, { workspaceId, readerId: userId }))
  return { ...shown(decision, isHidden), comparison: isHidden ? (snapshotWithoutRatings ?? snapshot) : snapshot }
}

function hidesRatings({ baselineRunId, candidateRunId }: StoredDecision, blindRuns: readonly string[]): boolean {
  return blindRuns.includes(baselineRunId) || blindRuns.includes(candidateRunId)
}

function shown(stored: StoredDecision, isHidden: boolean) {
  const { baselineRunId, candidateRunId, baselineName, candidateName, userId, userName, ...others } = stored
  const { verdictWithoutRatings, summaryWithoutRatings, verdict, summary, ...decision } = others
  return {
    ...decision,
    verdict: isHidden ? (verdictWithoutRatings ?? verdict) : verdict,
    summary: isHidden ? (summaryWithoutRatings ?? summary) : summary,
    baseline: { runId: baselineRunId, name: baselineName },
    candidate: { runId: candidateRunId, name: candidateName },
    author: { userId, name: userName },
  }
}

type Reported = Pick<StoredDecision, 'decision' | 'note' | 'createdAt' | 'supersededBy'> & { authorName: string | null }

export function decisionReport(snapshot: Snapshot, reported: Reported): string {
  const { decision, note, createdAt, supersededBy, authorName } = reported
  return comparisonReport(snapshot, {
    decision,
    note,
    author: authorName ?? 'A former member',
    decidedAt: createdAt,
    isSuperseded: supersededBy !== null,
  })
}
