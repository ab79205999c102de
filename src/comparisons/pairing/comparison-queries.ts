/**
 * All queries read pages by key and select only the columns that are needed, because runs may have very many traces.
 */
import { sql } from 'kysely'
import { activeRuns } from '../../runs/run-queries.ts'
import { linksWithItems } from '../../runs/run-trace-queries.ts'
import { hasRating } from '../../scores/rating-queries.ts'
import type { ScoreKey } from '../../scores/score-queries.ts'
import { readStoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'

export type ComparedRun = {
  runId: string
  name: string | null
  traceCount: number
  datasetId: string
  componentId: string
}

export async function findComparedRun(
  q: Queries,
  { workspaceId, runId }: { workspaceId: string; runId: string },
): Promise<ComparedRun | undefined> {
  return activeRuns(q)
    .select([
      'r.id as runId',
      'r.name',
      'r.trace_count as traceCount',
      'r.dataset_id as datasetId',
      'r.component_id as componentId',
    ])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.id', '=', runId)
    .executeTakeFirst()
}

/** The evaluation may still be running. */
export async function findEvaluationOfRun(
  q: Queries,
  { workspaceId, runId, evaluationId }: { workspaceId: string; runId: string; evaluationId: string },
) {
  const evaluation = await q
    .selectFrom('evaluations')
    .select(['id', 'results', 'config'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return evaluation && { ...evaluation, config: readStoredConfig(evaluation.config) }
}

/**
 * The traces of a run with their own metrics and their item: the item that the link names, otherwise the item that was
 * created from the trace.
 */
export async function listRunCases(
  q: Queries,
  {
    workspaceId,
    runId,
    datasetId,
    after,
    limit,
  }: { workspaceId: string; runId: string; datasetId: string; after: string; limit: number },
) {
  return linksWithItems(q, { workspaceId, runId, datasetId })
    .leftJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'l.workspace_id')
        .onRef('t.trace_id', '=', 'l.trace_ref')
        .on('t.deleted_at', 'is', null),
    )
    .select([
      'l.created_at as linkedAt',
      't.id as traceDbId',
      't.status',
      't.cost_usd as costUsd',
      't.total_tokens as totalTokens',
      sql<number | null>`t.end_ns - t.start_ns`.as('durationNs'),
    ])
    .where('l.trace_ref', '>', after)
    .orderBy('l.trace_ref')
    .limit(limit)
    .execute()
}

/** Ordered by key, so that all scores of a trace are adjacent. */
export async function listComparedScores(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    after,
    limit,
  }: { workspaceId: string; evaluationId: string; after: ScoreKey; limit: number },
) {
  return (
    q
      .selectFrom('evaluation_scores')
      .select(['case_ref as caseRef', 'evaluator', 'repetition', 'score', 'passed', 'label'])
      // A number instead of the state text keeps the rows small. Null if there is neither a score nor a failure.
      .select(sql<number | null>`case state when 'scored' then 0 when 'failed' then 1 end`.as('failed'))
      .where('workspace_id', '=', workspaceId)
      .where('evaluation_id', '=', evaluationId)
      .where(
        sql<boolean>`(case_ref, evaluator, repetition) > (${after.caseRef}, ${after.evaluator}, ${after.repetition})`,
      )
      .orderBy('case_ref')
      .orderBy('evaluator')
      .orderBy('repetition')
      .limit(limit)
      .execute()
  )
}

/** The items that an evaluation matched to its traces, if they still exist. */
export async function listEvaluatedItems(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    datasetId,
    after,
    limit,
  }: { workspaceId: string; evaluationId: string; datasetId: string; after: string; limit: number },
) {
  return q
    .selectFrom('evaluation_scores as s')
    .innerJoin('dataset_items as i', (join) =>
      join
        .onRef('i.workspace_id', '=', 's.workspace_id')
        .on('i.dataset_id', '=', datasetId)
        .onRef('i.id', '=', 's.item_id'),
    )
    .select(['s.case_ref as ref', 's.item_id as itemId'])
    .distinct()
    .where('s.workspace_id', '=', workspaceId)
    .where('s.evaluation_id', '=', evaluationId)
    .where('s.case_ref', '>', after)
    .orderBy('s.case_ref')
    .limit(limit)
    .execute()
}

/** The ratings of the traces of a run, given in that run. */
export async function listRunRatings(
  q: Queries,
  { workspaceId, runId, after, limit }: { workspaceId: string; runId: string; after: string; limit: number },
) {
  return q
    .selectFrom('annotations')
    .select(['id', 'trace_ref as ref', 'rating'])
    .where('workspace_id', '=', workspaceId)
    .where('run_id', '=', runId)
    .where(hasRating('annotations'))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
}
