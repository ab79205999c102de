/** What the rows of one page of a comparison show beyond their scores. */
import { activeAnnotations } from '../../annotations/annotation-list-queries.ts'
import { isVisibleTo, listBlindRuns } from '../../annotations/blind-annotation-queries.ts'
import type { Split } from '../../datasets/splits/split.ts'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'

export type RowItem = {
  id: string
  /** The position in the dataset, oldest first, from 1. */
  number: number
  split: Split | null
  input: string | null
  expected: string | null
}

/** Items by id. The window function numbers all items of the dataset by their key alone; texts are read for these only. */
export async function listRowItems(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  ids: readonly string[],
): Promise<Map<string, RowItem>> {
  if (ids.length === 0) return new Map()
  const numbered = q
    .selectFrom('dataset_items')
    .select([
      'id',
      (eb) =>
        eb.fn
          .agg<number>('row_number')
          .over((window) => window.orderBy('id'))
          .as('number'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
  const rows = await q
    .selectFrom(numbered.as('n'))
    .innerJoin('dataset_items as i', (join) =>
      join.onRef('i.id', '=', 'n.id').on('i.workspace_id', '=', workspaceId).on('i.dataset_id', '=', datasetId),
    )
    .select(['n.id', 'n.number', 'i.split', 'i.input', 'i.expected'])
    .where('n.id', 'in', ids)
    .execute()
  return new Map(rows.map((row) => [row.id, { ...row, number: Number(row.number) }]))
}

/** The results of these evaluators for these traces, in the order of evaluators and repetitions. */
export async function listRowResults(
  q: Queries,
  { workspaceId, evaluationId }: { workspaceId: string; evaluationId: string },
  { refs, evaluators }: { refs: readonly string[]; evaluators: readonly string[] },
) {
  if (refs.length === 0 || evaluators.length === 0) return []
  return q
    .selectFrom('evaluation_scores')
    .select(['case_ref as ref', 'evaluator', 'repetition', 'state', 'passed', 'reason'])
    .where('workspace_id', '=', workspaceId)
    .where('evaluation_id', '=', evaluationId)
    .where(inList(q, 'case_ref', refs))
    .where('evaluator', 'in', evaluators)
    .orderBy('case_ref')
    .orderBy('evaluator')
    .orderBy('repetition')
    .execute()
}

/** The annotations of these traces in a run that the reader may see, oldest first. */
export async function listRowRatings(
  q: Queries,
  { workspaceId, runId, readerId }: { workspaceId: string; runId: string; readerId: string },
  refs: readonly string[],
) {
  if (refs.length === 0) return []
  const blindRuns = await listBlindRuns(q, { workspaceId, readerId, runId })
  return activeAnnotations(q)
    .select(['a.trace_ref as ref', 'a.user_id as userId', 'a.rating', 'a.comment', 'a.created_at as createdAt'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.id', '=', runId)
    .where(inList(q, 'a.trace_ref', refs))
    .where(isVisibleTo(readerId, blindRuns))
    .orderBy('a.id')
    .execute()
}
