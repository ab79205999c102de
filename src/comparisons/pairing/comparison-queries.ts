/**
 * What belongs to a run is read in pages by key, with only the columns that are needed, because runs may have very many
 * traces.
 */
import { sql } from 'kysely'
import { hasRating } from '../../annotations/annotation-queries.ts'
import type { Split } from '../../datasets/splits/split.ts'
import { activeRuns } from '../../runs/run-queries.ts'
import { linksWithItems } from '../../runs/run-trace-queries.ts'
import { readJudgedWith } from '../../scores/judged-with.ts'
import type { RunEvaluation } from '../../scores/run-evaluation-queries.ts'
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

/** The first rows after a key. */
type KeyPage<Key = string> = { workspaceId: string; after: Key; limit: number }

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

/** The evaluation may still be running. Its evaluators are then not stored yet. */
export async function findEvaluationOfRun(
  q: Queries,
  { workspaceId, runId, evaluationId }: { workspaceId: string; runId: string; evaluationId: string },
): Promise<RunEvaluation | undefined> {
  const evaluation = await q
    .selectFrom('evaluations')
    .select(['id', 'config', 'judged_with', 'completed_at as completedAt'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', evaluationId)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  if (!evaluation) return undefined
  const { config, judged_with: judgedWith, ...row } = evaluation
  return { ...row, config: readStoredConfig(config), judgedWith: readJudgedWith(judgedWith), evaluators: new Map() }
}

/**
 * The traces of a run with their own metrics and their item: the item that the link names, otherwise the item that was
 * created from the trace.
 */
export async function listRunCases(
  q: Queries,
  { workspaceId, runId, datasetId, after, limit }: { runId: string; datasetId: string } & KeyPage,
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

/** Ordered by key, so that all scores of a trace are adjacent. Without the evaluators in `except`. */
export async function listComparedScores(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    except,
    after,
    limit,
  }: { evaluationId: string; except: readonly string[] } & KeyPage<ScoreKey>,
) {
  return (
    q
      .selectFrom('evaluation_scores')
      .select(['case_ref as caseRef', 'evaluator', 'repetition', 'score', 'passed', 'label', 'item_hash as itemHash'])
      // A number instead of the state text keeps the rows small. Null if there is neither a score nor a failure.
      .select(sql<number | null>`case state when 'scored' then 0 when 'failed' then 1 end`.as('failed'))
      .where('workspace_id', '=', workspaceId)
      .where('evaluation_id', '=', evaluationId)
      .where(
        sql<boolean>`(case_ref, evaluator, repetition) > (${after.caseRef}, ${after.evaluator}, ${after.repetition})`,
      )
      .$if(except.length > 0, (scores) => scores.where('evaluator', 'not in', except))
      .orderBy('case_ref')
      .orderBy('evaluator')
      .orderBy('repetition')
      .limit(limit)
      .execute()
  )
}

/** The items that an evaluation matched to its traces, also those that were deleted since. */
export async function listEvaluatedItems(
  q: Queries,
  { workspaceId, evaluationId, after, limit }: { evaluationId: string } & KeyPage,
) {
  return q
    .selectFrom('evaluation_scores as s')
    .select(['s.case_ref as ref', 's.item_id as itemId'])
    .distinct()
    .where('s.workspace_id', '=', workspaceId)
    .where('s.evaluation_id', '=', evaluationId)
    .where('s.item_id', 'is not', null)
    .where('s.case_ref', '>', after)
    .orderBy('s.case_ref')
    .limit(limit)
    .execute()
}

/**
 * 1 if the queue drew the trace in random order, else null. Draws by the verdict of one run, which have other chances, are
 * no sample of the differences between two.
 */
const drawnAtRandom = sql<number | null>`(select 1 from annotation_draws as d where d.workspace_id = a.workspace_id
  and d.run_id = a.run_id and d.trace_ref = a.trace_ref and abs(d.probability * d.pool - 1) < 1e-9)`

/** The ratings of the traces of a run, given in that run. */
export async function listRunRatings(q: Queries, { workspaceId, runId, after, limit }: { runId: string } & KeyPage) {
  return q
    .selectFrom('annotations as a')
    .select(['a.id', 'a.trace_ref as ref', 'a.rating', drawnAtRandom.as('isDrawn')])
    .where('a.workspace_id', '=', workspaceId)
    .where('a.run_id', '=', runId)
    .where(hasRating('a'))
    .where('a.id', '>', after)
    .orderBy('a.id')
    .limit(limit)
    .execute()
}

export type LookPair = { workspaceId: string; baselineRunId: string; candidateRunId: string }

export async function findLook(q: Queries, { workspaceId, baselineRunId, candidateRunId }: LookPair) {
  return q
    .selectFrom('comparison_looks')
    .select(['looks', 'result_hash as resultHashes', 'planned'])
    .where('workspace_id', '=', workspaceId)
    .where('baseline_run_id', '=', baselineRunId)
    .where('candidate_run_id', '=', candidateRunId)
    .executeTakeFirst()
}

/** As many as a pair of runs is read with in practice; the oldest are forgotten. */
const HASHES_LENGTH_MAX = 2_000

export type NewLook = LookPair & {
  resultHash: string
  /** The plan, if this is the first look. */
  plan: string | null
  /** What the plan gets for this look. Empty if it does not cover it. */
  plannedLook: string
}

/** Counts a look whose result was not seen before. Two requests with the same result count once. */
export async function countLook(
  tx: Queries,
  { workspaceId, baselineRunId, candidateRunId, resultHash, plan, plannedLook, now }: NewLook & { now: string },
): Promise<void> {
  await tx
    .insertInto('comparison_looks')
    .values({
      workspace_id: workspaceId,
      baseline_run_id: baselineRunId,
      candidate_run_id: candidateRunId,
      looks: 1,
      result_hash: resultHash,
      looked_at: now,
      planned: plan && plan + plannedLook,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'baseline_run_id', 'candidate_run_id'])
        .doUpdateSet((eb) => ({
          looks: eb('comparison_looks.looks', '+', 1),
          result_hash: sql<string>`substr(${resultHash} || ' ' || comparison_looks.result_hash, 1, ${HASHES_LENGTH_MAX})`,
          looked_at: now,
          planned: sql<string>`comparison_looks.planned || ${plannedLook}`,
        }))
        .where('comparison_looks.result_hash', 'not like', `%${resultHash}%`),
    )
    .execute()
}

export async function countItems(
  q: Queries,
  { workspaceId, datasetId, split }: { workspaceId: string; datasetId: string; split?: Split | undefined },
): Promise<number> {
  const { count } = await q
    .selectFrom('dataset_items')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspaceId)
    .where('dataset_id', '=', datasetId)
    .$if(split !== undefined, (items) => items.where('split', '=', split ?? null))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The runs that were compared with this baseline since then. */
export async function listComparedWith(
  q: Queries,
  { workspaceId, baselineRunId, since }: { workspaceId: string; baselineRunId: string; since: string },
): Promise<string[]> {
  const rows = await q
    .selectFrom('comparison_looks')
    .select('candidate_run_id as runId')
    .where('workspace_id', '=', workspaceId)
    .where('baseline_run_id', '=', baselineRunId)
    .where('looked_at', '>=', since)
    .execute()
  return rows.map(({ runId }) => runId)
}
