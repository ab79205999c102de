/** The verdicts of judges on anchors: labeled answers that are judged again with every evaluation. */
import { sql } from 'kysely'
import type { EvaluationScope } from '../scores/score-queries.ts'
import type { Queries } from '../storage/db.ts'
import { insertNewRows } from '../storage/insert-rows.ts'

/** `judge` identifies the settings of an evaluator. */
export type AnchorSeries = { workspaceId: string; datasetId: string; judge: string }

export type AnchorVerdict = { itemId: string; isPassed: boolean; isGood: boolean | undefined }

/** A verdict that is stored already stays: the evaluation was continued by another worker. */
export async function insertAnchorVerdict(
  tx: Queries,
  { workspaceId, datasetId, judge }: AnchorSeries,
  { evaluationId, itemId, isPassed, isGood, now }: AnchorVerdict & { evaluationId: string; now: string },
): Promise<void> {
  const label = isGood === undefined ? null : Number(isGood)
  await insertNewRows(
    tx,
    {
      table: 'anchor_verdicts',
      columns: ['workspace_id', 'dataset_id', 'judge', 'evaluation_id', 'item_id', 'passed', 'is_good', 'created_at'],
      rows: [[workspaceId, datasetId, judge, evaluationId, itemId, Number(isPassed), label, now]],
    },
    ['judge', 'item_id'],
  )
}

/** The items that a judge has judged in this evaluation. */
export async function listJudgedAnchors(
  q: Queries,
  { workspaceId, datasetId, judge }: AnchorSeries,
  { evaluationId }: { evaluationId: string },
): Promise<Set<string>> {
  const rows = await q
    .selectFrom('anchor_verdicts')
    .select('item_id as itemId')
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('judge', '=', judge)
    .where('evaluation_id', '=', evaluationId)
    .execute()
  return new Set(rows.map(({ itemId }) => itemId))
}

/** The trace and the metadata of the first items of a dataset, from which their labels are read. */
export async function listAnchorSources(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  itemIds: readonly string[],
): Promise<{ id: string; traceRef: string | null; metadata: string | null }[]> {
  if (itemIds.length === 0) return []
  return q
    .selectFrom('dataset_items')
    .select(['id', 'trace_ref as traceRef', 'metadata'])
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .where('id', 'in', itemIds)
    .execute()
}

/** How the verdicts of one evaluation differ from those of the first evaluation of the series. */
export type AnchorChanges = {
  evaluationId: string
  /** The number of anchors with a verdict in both evaluations, and of those with a label. */
  anchors: number
  labeled: number
  /** Failed first and passes now; passed first and fails now. */
  gained: number
  lost: number
  /** Agreed with the label first and now. */
  rightFirst: number
  rightNow: number
  /** Disagreed with the label first and agrees now; agreed first and disagrees now. */
  becameRight: number
  becameWrong: number
}

/**
 * One row for each completed evaluation after the first one, and for the given one, in the order of their creation; and
 * the id of the first one. Undefined if the given evaluation has no verdicts.
 */
export async function listAnchorChanges(
  q: Queries,
  { workspaceId, datasetId, judge }: AnchorSeries,
  { evaluationId }: Pick<EvaluationScope, 'evaluationId'>,
): Promise<{ firstId: string; changes: AnchorChanges[] } | undefined> {
  const evaluations = await q
    .selectFrom('anchor_verdicts as v')
    .innerJoin('evaluations as e', (join) =>
      join.onRef('e.workspace_id', '=', 'v.workspace_id').onRef('e.id', '=', 'v.evaluation_id'),
    )
    .select('e.id')
    .distinct()
    .where('v.workspace_id', '=', workspaceId)
    .where('v.dataset_id', '=', datasetId)
    .where('v.judge', '=', judge)
    .where('e.id', '<=', evaluationId)
    .where(({ eb, or }) => or([eb('e.status', '=', 'completed'), eb('e.id', '=', evaluationId)]))
    .where('e.deleted_at', 'is', null)
    .orderBy('e.id')
    .execute()
  const [first, ...later] = evaluations.map(({ id }) => id)
  if (first === undefined || evaluations.at(-1)?.id !== evaluationId) return undefined
  if (later.length === 0) return { firstId: first, changes: [] }
  const count = (condition: string) => sql<number>`sum(case when ${sql.raw(condition)} then 1 else 0 end)`
  const rows = await q
    .selectFrom('anchor_verdicts as v')
    .innerJoin('anchor_verdicts as f', (join) =>
      join
        .onRef('f.workspace_id', '=', 'v.workspace_id')
        .onRef('f.dataset_id', '=', 'v.dataset_id')
        .onRef('f.judge', '=', 'v.judge')
        .on('f.evaluation_id', '=', first)
        .onRef('f.item_id', '=', 'v.item_id'),
    )
    .select([
      'v.evaluation_id as evaluationId',
      sql<number>`count(*)`.as('anchors'),
      count('v.is_good is not null').as('labeled'),
      count('f.passed < v.passed').as('gained'),
      count('f.passed > v.passed').as('lost'),
      count('f.passed = v.is_good').as('rightFirst'),
      count('v.passed = v.is_good').as('rightNow'),
      count('f.passed <> v.is_good and v.passed = v.is_good').as('becameRight'),
      count('f.passed = v.is_good and v.passed <> v.is_good').as('becameWrong'),
    ])
    .where('v.workspace_id', '=', workspaceId)
    .where('v.dataset_id', '=', datasetId)
    .where('v.judge', '=', judge)
    .where('v.evaluation_id', 'in', later)
    .groupBy('v.evaluation_id')
    .orderBy('v.evaluation_id')
    .execute()
  return { firstId: first, changes: rows.map(withNumbers) }
}

/** Counts are text on one engine. */
function withNumbers({ evaluationId, ...counts }: AnchorChanges): AnchorChanges {
  const { anchors, labeled, gained, lost, rightFirst, rightNow, becameRight, becameWrong } = counts
  return {
    evaluationId,
    anchors: Number(anchors),
    labeled: Number(labeled),
    gained: Number(gained),
    lost: Number(lost),
    rightFirst: Number(rightFirst),
    rightNow: Number(rightNow),
    becameRight: Number(becameRight),
    becameWrong: Number(becameWrong),
  }
}
