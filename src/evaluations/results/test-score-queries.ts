import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'

/** Whether an evaluation has a score of an item in the test split. Looks up each item in the index of the splits. */
export async function hasTestScores(
  q: Queries,
  { workspaceId, datasetId, evaluationId }: EvaluationScope & { datasetId: string },
): Promise<boolean> {
  const row = await q
    .selectFrom('evaluation_scores as s')
    .select('s.case_ref')
    .where('s.workspace_id', '=', workspaceId)
    .where('s.evaluation_id', '=', evaluationId)
    .where('s.state', '=', 'scored')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('dataset_items as i')
          .select('i.id')
          .whereRef('i.workspace_id', '=', 's.workspace_id')
          .where('i.dataset_id', '=', datasetId)
          .where('i.split', '=', 'test')
          .whereRef('i.id', '=', 's.item_id'),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
