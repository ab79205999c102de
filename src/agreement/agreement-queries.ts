import type { RawBuilder, SqlBool } from 'kysely'
import { activeAnnotations } from '../annotations/annotation-list-queries.ts'
import { hasRating } from '../annotations/annotation-queries.ts'
import { isVisibleTo, listBlindRuns } from '../annotations/blind-annotation-queries.ts'
import { chunksOf } from '../base/event-loop.ts'
import type { Principal } from '../base/principal.ts'
import { activeRuns } from '../runs/run-queries.ts'
import type { EvaluationScope } from '../scores/score-queries.ts'
import { readStoredConfig, type StoredConfig } from '../scores/stored-config.ts'
import type { Queries } from '../storage/db.ts'
import { inList } from '../storage/dialect.ts'
import { deleteScoped, selectScoped } from '../storage/query-building.ts'

const ROWS_PER_PAGE = 2_000
const REFS_PER_STATEMENT = 500

export type RatingRow = { id: string; ref: string; userId: string; rating: string; updatedAt: string }

/** A condition on the annotations `a` that the reader may see. */
export type VisibilityFilter = { isVisible: RawBuilder<SqlBool> }

type ComponentScope = { workspaceId: string; componentId: string }

/** The ratings of a run, or of one of its traces, oldest first. */
export async function* pagesOfRunRatings(
  q: Queries,
  {
    workspaceId,
    runId,
    traceRef,
    isVisible,
  }: { workspaceId: string; runId: string; traceRef?: string | undefined } & VisibilityFilter,
): AsyncGenerator<RatingRow[]> {
  let after = ''
  for (;;) {
    const inWorkspace = activeRatings(q, workspaceId)
    const ratings = (traceRef === undefined ? inWorkspace : inWorkspace.where('a.trace_ref', '=', traceRef))
      .where('a.run_id', '=', runId)
      .where(isVisible)
      .orderBy('a.id')
      .limit(ROWS_PER_PAGE)
    const rows = await (after === '' ? ratings : ratings.where('a.id', '>', after)).execute()
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_PER_PAGE) return
    after = rows.at(-1)?.id ?? after
  }
}

/**
 * The ratings in the runs of a dataset, and those in other runs on traces that are items of the dataset. May contain
 * duplicates.
 */
export async function* pagesOfDatasetRatings(
  q: Queries,
  { workspaceId, componentId, datasetId, isVisible }: ComponentScope & { datasetId: string } & VisibilityFilter,
): AsyncGenerator<RatingRow[]> {
  const runs = await activeRuns(q)
    .select('r.id')
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.dataset_id', '=', datasetId)
    .orderBy('r.id')
    .execute()
  for (const { id: runId } of runs) yield* pagesOfRunRatings(q, { workspaceId, runId, isVisible })
  for await (const refs of pagesOfItemRefs(q, { workspaceId, datasetId })) {
    const rows = await activeRatings(q, workspaceId)
      .where(inList(q, 'a.trace_ref', refs))
      .where(isVisible)
      .execute()
    if (rows.length > 0) yield rows
  }
}

async function* pagesOfItemRefs(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
): AsyncGenerator<string[]> {
  let after = ''
  for (;;) {
    const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
      .select('trace_ref as ref')
      .where('trace_ref', '>', after)
      .orderBy('trace_ref')
      .limit(REFS_PER_STATEMENT)
      .$narrowType<{ ref: string }>()
      .execute()
    if (rows.length > 0) yield rows.map(({ ref }) => ref)
    if (rows.length < REFS_PER_STATEMENT) return
    after = rows.at(-1)?.ref ?? after
  }
}

function activeRatings(q: Queries, workspaceId: string) {
  return activeAnnotations(q)
    .select(['a.id', 'a.trace_ref as ref', 'a.user_id as userId', 'a.rating', 'a.updated_at as updatedAt'])
    .where('a.workspace_id', '=', workspaceId)
    .where(hasRating('a'))
    .$narrowType<{ rating: string }>()
}

/** These annotations with their comments, in no particular order. */
export async function listCommented(
  q: Queries,
  { workspaceId, ids }: { workspaceId: string; ids: readonly string[] },
): Promise<(RatingRow & { comment: string | null })[]> {
  const found: (RatingRow & { comment: string | null })[] = []
  for (const chunk of chunksOf(ids, REFS_PER_STATEMENT)) {
    found.push(...(await activeRatings(q, workspaceId).select('a.comment').where('a.id', 'in', chunk).execute()))
  }
  return found
}

/** The names of users, including former members. */
export async function findNames(q: Queries, userIds: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const chunk of chunksOf(userIds, REFS_PER_STATEMENT)) {
    const rows = await q.selectFrom('users').select(['id', 'name']).where('id', 'in', chunk).execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return names
}

const EVALUATIONS_LOOKED_AT = 500
const RUNS_MAX = 20

export type JudgedEvaluation = { id: string; runId: string | null; config: StoredConfig }

/**
 * The completed evaluations of the runs of a dataset, and of the dataset itself, newest first; of several of a run with the
 * same config only the newest. Limited to the runs that were evaluated last.
 */
export async function listDatasetEvaluations(
  q: Queries,
  { workspaceId, datasetId }: { workspaceId: string; datasetId: string },
): Promise<JudgedEvaluation[]> {
  const rows = await selectScoped(q, 'evaluations', {
    workspace_id: workspaceId,
    dataset_id: datasetId,
    status: 'completed',
    deleted_at: null,
  })
    .select(['id', 'config', 'run_id as runId'])
    .orderBy('id', 'desc')
    .limit(EVALUATIONS_LOOKED_AT)
    .execute()
  const newest = [...Map.groupBy(rows, ({ runId }) => runId).values()].slice(0, RUNS_MAX).flatMap((ofRun) => {
    return [...Map.groupBy(ofRun, ({ config }) => config).values()].flatMap((same) => same.slice(0, 1))
  })
  return newest.map(({ id, config, runId }) => ({ id, runId, config: readStoredConfig(config) }))
}

/** The run of an evaluation, which may have none. */
export async function findEvaluatedRun(q: Queries, { workspaceId, evaluationId }: EvaluationScope) {
  return selectScoped(q, 'evaluations', { workspace_id: workspaceId, id: evaluationId })
    .select('run_id as runId')
    .executeTakeFirst()
}

export type Judgement = {
  caseRef: string
  ref: string
  itemId: string | null
  passed: number | null
  score: number | null
}

/** The verdicts of an evaluator after a case, in order of cases; the last case may be incomplete. */
export async function listJudgements(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    evaluator,
    basis,
    after,
    limit,
  }: EvaluationScope & { evaluator: string; basis: 'passed' | 'score'; after: string; limit: number },
): Promise<Judgement[]> {
  return selectScoped(q, 'evaluation_scores', {
    workspace_id: workspaceId,
    evaluation_id: evaluationId,
    evaluator,
    state: 'scored',
  })
    .select(({ fn }) => ['case_ref as caseRef', fn.coalesce('trace_ref', 'case_ref').as('ref'), 'item_id as itemId'])
    .select(['passed', 'score'])
    .where(basis, 'is not', null)
    .where('case_ref', '>', after)
    .orderBy('case_ref')
    .orderBy('repetition')
    .limit(limit)
    .$narrowType<{ passed: number }>()
    .execute()
}

/** The number of cases that an evaluator has judged. */
export async function countJudgedCases(
  q: Queries,
  { workspaceId, evaluationId, evaluator, basis }: EvaluationScope & { evaluator: string; basis: 'passed' | 'score' },
): Promise<number> {
  const { count } = await selectScoped(q, 'evaluation_scores', {
    workspace_id: workspaceId,
    evaluation_id: evaluationId,
    evaluator,
    state: 'scored',
  })
    .select(({ fn }) => fn.count<number>('case_ref').distinct().as('count'))
    .where(basis, 'is not', null)
    .executeTakeFirstOrThrow()
  return count
}

/** True if an evaluator has decided whether a case passes: it has a pass threshold. */
export async function hasVerdicts(q: Queries, scope: EvaluationScope & { evaluator: string }): Promise<boolean> {
  return (await listJudgements(q, { ...scope, basis: 'passed', after: '', limit: 1 })).length > 0
}

type RunScope = { workspaceId: string; runId: string }

/** The resolution of a disagreement: one per trace of a run. The ratings themselves stay. */
export type Resolution = {
  rating: string
  note: string | null
  userId: string
  name: string | null
  resolvedAt: string
}

/** By trace reference. */
export async function listResolutions(q: Queries, scope: RunScope): Promise<Map<string, Resolution>> {
  const rows = await resolutionsOf(q, scope).execute()
  return new Map(rows.map(({ ref, ...resolution }) => [ref, resolution]))
}

export async function findResolution(
  q: Queries,
  { traceRef, ...scope }: RunScope & { traceRef: string },
): Promise<Resolution | undefined> {
  const row = await resolutionsOf(q, scope).where('s.trace_ref', '=', traceRef).executeTakeFirst()
  if (!row) return undefined
  const { ref: _ref, ...resolution } = row
  return resolution
}

/** Only the ratings, by trace reference. */
export async function listResolvedRatings(
  q: Queries,
  { workspaceId, runId }: RunScope,
  refs: readonly string[],
): Promise<Map<string, string>> {
  const rows = await selectScoped(q, 'disagreement_resolutions', { workspace_id: workspaceId, run_id: runId })
    .select(['trace_ref as ref', 'rating'])
    .where(inList(q, 'trace_ref', refs))
    .execute()
  return new Map(rows.map(({ ref, rating }) => [ref, rating]))
}

export async function upsertResolution(
  tx: Queries,
  {
    workspaceId,
    runId,
    traceRef,
    userId,
    rating,
    note,
    now,
  }: RunScope & { traceRef: string; userId: string; rating: string; note: string | null; now: string },
): Promise<void> {
  const values = { user_id: userId, rating, note, updated_at: now }
  await tx
    .insertInto('disagreement_resolutions')
    .values({ workspace_id: workspaceId, run_id: runId, trace_ref: traceRef, created_at: now, ...values })
    .onConflict((own) => own.columns(['workspace_id', 'run_id', 'trace_ref']).doUpdateSet(values))
    .execute()
}

export async function deleteResolution(
  tx: Queries,
  { workspaceId, runId, traceRef }: RunScope & { traceRef: string },
): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'disagreement_resolutions', {
    workspace_id: workspaceId,
    run_id: runId,
    trace_ref: traceRef,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}

function resolutionsOf(q: Queries, { workspaceId, runId }: RunScope) {
  return q
    .selectFrom('disagreement_resolutions as s')
    .leftJoin('users as u', 'u.id', 's.user_id')
    .select(['s.trace_ref as ref', 's.rating', 's.note', 's.user_id as userId', 'u.name', 's.updated_at as resolvedAt'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.run_id', '=', runId)
}

/** In blind runs, a rater sees the ratings of a trace, even aggregated, only after rating it. */
export async function visibilityFor(q: Queries, { workspaceId, userId }: Principal): Promise<VisibilityFilter> {
  return { isVisible: isVisibleTo(userId, await listBlindRuns(q, { workspaceId, readerId: userId })) }
}
