import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'

/** What the evaluators of these evaluations have cost, in dollars. */
export async function sumEvaluationCost(
  q: Queries,
  { workspaceId, evaluationIds }: { workspaceId: string; evaluationIds: readonly string[] },
): Promise<number> {
  if (evaluationIds.length === 0) return 0
  const row = await selectScoped(q, 'evaluations', { workspace_id: workspaceId })
    .select(({ fn }) => fn.sum<number>('spent_usd').as('usd'))
    .where('id', 'in', evaluationIds)
    .executeTakeFirst()
  return Number(row?.usd ?? 0)
}
