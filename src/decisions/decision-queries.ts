import { readStoredSnapshot } from '../comparisons/report/read-snapshot.ts'
import type { KeysetPage } from '../overviews/keyset-page.ts'
import type { Queries } from '../storage/db.ts'
import { lockForShare } from '../storage/dialect.ts'
import type { Tables } from '../storage/tables.ts'

type DecisionRow = Tables['decisions']

/**
 * A decision without its snapshot. `summary` and `verdict` may be derived from ratings; `summaryWithoutRatings` and
 * `verdictWithoutRatings` then are not.
 */
export type StoredDecision = {
  id: string
  baselineRunId: string
  candidateRunId: string
  baselineName: string | null
  candidateName: string | null
  decision: DecisionRow['decision']
  note: string
  metric: string | null
  margin: number | null
  split: DecisionRow['split']
  verdict: DecisionRow['verdict']
  summary: string
  verdictWithoutRatings: DecisionRow['verdict'] | null
  summaryWithoutRatings: string | null
  userId: string
  userName: string | null
  supersededBy: string | null
  createdAt: string
}

type ComponentScope = { workspaceId: string; componentId: string }
type DecisionScope = ComponentScope & { decisionId: string }

/** One more than the limit, to find out whether there are more. */
export async function listDecisionsAfter(
  q: Queries,
  {
    workspaceId,
    componentId,
    baselineRunId,
    candidateRunId,
    after,
    limit,
  }: ComponentScope & KeysetPage & { baselineRunId: string | undefined; candidateRunId: string | undefined },
): Promise<StoredDecision[]> {
  let decisions = decisionColumns(q).where('d.workspace_id', '=', workspaceId).where('d.component_id', '=', componentId)
  if (baselineRunId !== undefined) decisions = decisions.where('d.baseline_run_id', '=', baselineRunId)
  if (candidateRunId !== undefined) decisions = decisions.where('d.candidate_run_id', '=', candidateRunId)
  if (after !== undefined) decisions = decisions.where('d.id', '<', after)
  return decisions
    .orderBy('d.id', 'desc')
    .limit(limit + 1)
    .execute()
}

export async function findDecision(q: Queries, { workspaceId, componentId, decisionId }: DecisionScope) {
  const found = await decisionColumns(q)
    .select(['d.snapshot', 'd.snapshot_without_ratings as snapshotWithoutRatings'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.id', '=', decisionId)
    .executeTakeFirst()
  return found && parsed(found)
}

/** Locked until the transaction ends, so that no link is added to a decision that is being deleted. */
export async function lockDecision(tx: Queries, { workspaceId, componentId, decisionId }: DecisionScope) {
  const decision = tx
    .selectFrom('decisions as d')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.component_id'),
    )
    .select('d.id')
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.id', '=', decisionId)
    .where('c.deleted_at', 'is', null)
  return (await lockForShare(tx, decision).executeTakeFirst()) !== undefined
}

type StoredSnapshots = { snapshot: string; snapshotWithoutRatings: string | null }

/** With the snapshot that has no ratings, if another one was stored for it. */
function parsed<Row extends StoredSnapshots>({ snapshot, snapshotWithoutRatings, ...decision }: Row) {
  return {
    ...decision,
    snapshot: readStoredSnapshot(snapshot),
    snapshotWithoutRatings: snapshotWithoutRatings === null ? null : readStoredSnapshot(snapshotWithoutRatings),
  }
}

/** Decisions whose component exists. */
function decisionColumns(q: Queries) {
  return q
    .selectFrom('decisions as d')
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'd.workspace_id').onRef('c.id', '=', 'd.component_id'),
    )
    .leftJoin('users as u', 'u.id', 'd.user_id')
    .select([
      'd.id',
      'd.baseline_run_id as baselineRunId',
      'd.candidate_run_id as candidateRunId',
      'd.baseline_name as baselineName',
      'd.candidate_name as candidateName',
      'd.decision',
      'd.note',
      'd.metric',
      'd.margin',
      'd.split',
      'd.verdict',
      'd.summary',
      'd.verdict_without_ratings as verdictWithoutRatings',
      'd.summary_without_ratings as summaryWithoutRatings',
      'd.user_id as userId',
      'u.name as userName',
      'd.created_at as createdAt',
    ])
    .select(({ selectFrom }) =>
      selectFrom('decisions as later')
        .select('later.id')
        .whereRef('later.workspace_id', '=', 'd.workspace_id')
        .whereRef('later.candidate_run_id', '=', 'd.candidate_run_id')
        .whereRef('later.baseline_run_id', '=', 'd.baseline_run_id')
        .whereRef('later.id', '>', 'd.id')
        .orderBy('later.id')
        .limit(1)
        .as('supersededBy'),
    )
    .where('c.deleted_at', 'is', null)
}

/** The decision that a link shares. Reads across workspaces, because its reader has only the token. */
export async function findSharedDecisionOfAnyWorkspace(q: Queries, tokenHash: string, now: string) {
  const found = await decisionColumns(q)
    .innerJoin('shared_links as l', (join) =>
      join.onRef('l.workspace_id', '=', 'd.workspace_id').onRef('l.decision_id', '=', 'd.id'),
    )
    .innerJoin('sharing_settings as s', 's.workspace_id', 'd.workspace_id')
    .innerJoin('workspaces as w', 'w.id', 'd.workspace_id')
    .select([
      'd.workspace_id as workspaceId',
      'l.id as linkId',
      'd.snapshot',
      'd.snapshot_without_ratings as snapshotWithoutRatings',
    ])
    .where('l.token_hash', '=', tokenHash)
    .where('l.expires_at', '>', now)
    .where('l.revoked_at', 'is', null)
    .where('s.are_links_allowed', '=', 1)
    .where('w.deleted_at', 'is', null)
    .executeTakeFirst()
  return found && parsed(found)
}

export async function insertDecision(tx: Queries, row: DecisionRow): Promise<void> {
  await tx.insertInto('decisions').values(row).execute()
}

/** With its links. Returns false if it does not exist. */
export async function deleteDecision(tx: Queries, { workspaceId, componentId, decisionId }: DecisionScope) {
  await tx
    .deleteFrom('shared_links')
    .where('workspace_id', '=', workspaceId)
    .where('decision_id', '=', decisionId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('decisions as d')
          .select('d.id')
          .where('d.workspace_id', '=', workspaceId)
          .where('d.component_id', '=', componentId)
          .where('d.id', '=', decisionId),
      ),
    )
    .execute()
  const { numDeletedRows } = await tx
    .deleteFrom('decisions')
    .where('workspace_id', '=', workspaceId)
    .where('component_id', '=', componentId)
    .where('id', '=', decisionId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** Whether one of the runs is rated blindly by anyone. */
export async function isRatedBlindly(q: Queries, workspaceId: string, runIds: readonly string[]): Promise<boolean> {
  const blind = await q
    .selectFrom('annotation_policies')
    .select('run_id')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', 'in', runIds)
    .where('is_blind', '=', 1)
    .limit(1)
    .execute()
  return blind.length > 0
}
