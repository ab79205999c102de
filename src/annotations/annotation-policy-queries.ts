import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { prepared } from '../storage/prepared.ts'

export type AnnotationPolicy = { ratersPerItem: number | null; blind: boolean; ratings: string[] | null }
export type RunScope = { workspaceId: string; runId: string }

/** A run that has no policy is rated by anybody, openly, with any word. */
export const NO_POLICY: AnnotationPolicy = { ratersPerItem: null, blind: false, ratings: null }

export async function readAnnotationPolicy(q: Queries, scope: RunScope): Promise<AnnotationPolicy> {
  const [row] = await findPolicy(q, { workspaceId: scope.workspaceId, runId: scope.runId })
  return row ? toPolicy(row) : NO_POLICY
}

/** Asked by every annotation that is saved. */
const findPolicy = prepared<RunScope>()((q, value) =>
  policyOf(q, { workspaceId: value('workspaceId'), runId: value('runId') }),
)

/**
 * The policy as it holds until the transaction ends. Where it limits how many may rate a trace, one transaction of the run at a time
 * gets past this: whoever counts the raters of a trace and then adds one must not be overtaken in between. The run must be held
 * before, as those do who change the policy.
 */
export async function lockAnnotationPolicy(tx: Queries, scope: RunScope): Promise<AnnotationPolicy> {
  const known = await readAnnotationPolicy(tx, scope)
  if (known.ratersPerItem === null) return known
  const row = await lockForUpdate(tx, policyOf(tx, scope)).executeTakeFirst()
  return row ? toPolicy(row) : NO_POLICY
}

export async function upsertAnnotationPolicy(
  tx: Queries,
  { workspaceId, runId, policy, now }: RunScope & { policy: AnnotationPolicy; now: string },
): Promise<void> {
  const values = {
    raters_per_item: policy.ratersPerItem,
    is_blind: policy.blind ? 1 : 0,
    ratings: policy.ratings === null ? null : JSON.stringify(policy.ratings),
    updated_at: now,
  }
  await tx
    .insertInto('annotation_policies')
    .values({ workspace_id: workspaceId, run_id: runId, ...values })
    .onConflict((own) => own.columns(['workspace_id', 'run_id']).doUpdateSet(values))
    .execute()
}

export async function deleteAnnotationPolicy(tx: Queries, { workspaceId, runId }: RunScope): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('annotation_policies')
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function policyOf(q: Queries, { workspaceId, runId }: RunScope) {
  return q
    .selectFrom('annotation_policies')
    .select(['raters_per_item', 'is_blind', 'ratings'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
}

function toPolicy(row: { raters_per_item: number | null; is_blind: number; ratings: string | null }): AnnotationPolicy {
  const ratings: string[] | null = row.ratings === null ? null : JSON.parse(row.ratings)
  return { ratersPerItem: row.raters_per_item, blind: row.is_blind === 1, ratings }
}
