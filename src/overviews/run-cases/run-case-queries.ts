import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { hasRating } from '../../annotations/annotation-queries.ts'
import type { EvaluationScope } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { inList } from '../../storage/dialect.ts'
import { selectScoped } from '../../storage/query-building.ts'
import { plainFilter } from '../../traces/query/plain-filter.ts'
import { planTexts } from '../../traces/query/text-search-queries.ts'
import type { TraceFilter } from '../../traces/trace-filter.ts'
import { filteredTraces } from '../../traces/trace-list-queries.ts'

/** Texts may have a mebibyte; a preview needs only their beginning. */
const TEXT_LENGTH_READ = 2_000
const REASON_LENGTH_READ = 1_000

type RunScope = { workspaceId: string; runId: string }

/** The traces of a run that have a visible rating in it, by reference. `isVisible` is a condition on the annotations `a`. */
export async function listRatedRefs(
  q: Queries,
  { workspaceId, runId }: RunScope,
  isVisible: RawBuilder<SqlBool>,
): Promise<string[]> {
  const rows = await q
    .selectFrom('annotations as a')
    .select('a.trace_ref as ref')
    .distinct()
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', '=', runId)
    .where(hasRating('a'))
    .where(isVisible)
    .execute()
  return rows.map(({ ref }) => ref)
}

/** The results of one evaluator, ordered by case and repetition. */
export async function listOutcomes(
  q: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  evaluator: string,
): Promise<{ ref: string; score: number | null; passed: number | null }[]> {
  return selectScoped(q, 'evaluation_scores', {
    workspace_id: workspaceId,
    evaluation_id: evaluationId,
    evaluator,
    state: 'scored',
  })
    .select(['case_ref as ref', 'score', 'passed'])
    .orderBy('case_ref')
    .orderBy('repetition')
    .execute()
}

/** All scores of these cases, ordered by case, evaluator and repetition. */
export async function listCaseScores(
  q: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
  refs: readonly string[],
) {
  if (refs.length === 0) return []
  return selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId, evaluation_id: evaluationId })
    .select(['case_ref as ref', 'evaluator', 'repetition', 'state', 'score', 'label', 'passed'])
    .select(sql<string | null>`substr(reason, 1, ${sql.lit(REASON_LENGTH_READ)})`.as('reason'))
    .where(inList(q, 'case_ref', refs))
    .orderBy('case_ref')
    .orderBy('evaluator')
    .orderBy('repetition')
    .execute()
}

export type CaseScoreRow = Awaited<ReturnType<typeof listCaseScores>>[number]

/** The beginnings of the texts of items. */
export async function listItemTexts(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
  itemIds: readonly string[],
) {
  if (itemIds.length === 0) return []
  const start = (column: 'input' | 'expected') =>
    sql<string | null>`substr(${sql.ref(column)}, 1, ${sql.lit(TEXT_LENGTH_READ)})`.as(column)
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', start('input'), start('expected')])
    .where('id', 'in', itemIds)
    .execute()
}

/** Those of the traces that match the filter, by their references. */
export async function listMatchingRefs(
  q: Queries,
  workspaceId: string,
  filter: TraceFilter,
  refs: readonly string[],
): Promise<string[]> {
  // Texts that no index finds are compared with these traces only.
  const { common } = await planTexts(q, workspaceId, plainFilter(filter).parts)
  const rows = await filteredTraces(q, workspaceId, filter, common)
    .select('t.trace_id as ref')
    .where(inList(q, 't.trace_id', refs))
    .execute()
  return rows.map(({ ref }) => ref)
}
