import { notFound } from '../base/errors.ts'
import { type EvaluationScope, updateEvaluation } from '../scores/score-queries.ts'
import type { Queries } from '../storage/db.ts'
import { pagedList } from '../storage/paged-list.ts'

/** An evaluation exists only as long as its dataset and its component. */
export function activeEvaluations(q: Queries) {
  return q
    .selectFrom('evaluations as e')
    .innerJoin('datasets as d', (join) =>
      join.onRef('d.workspace_id', '=', 'e.workspace_id').onRef('d.id', '=', 'e.dataset_id'),
    )
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 'e.workspace_id').onRef('c.id', '=', 'e.component_id'),
    )
    .innerJoin('workspaces as w', 'w.id', 'e.workspace_id')
    .where('e.deleted_at', 'is', null)
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
    .where('w.deleted_at', 'is', null)
}

export const listEvaluations = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  activeEvaluations(q)
    .select(['e.id', 'e.name', 'e.status', 'e.dataset_id as datasetId', 'e.created_at as createdAt'])
    .where('e.workspace_id', '=', value('workspaceId'))
    .where('e.component_id', '=', value('componentId'))
    .orderBy('e.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

export async function findEvaluation(q: Queries, workspaceId: string, evaluationId: string) {
  return activeEvaluations(q)
    .selectAll('e')
    .where('e.workspace_id', '=', workspaceId)
    .where('e.id', '=', evaluationId)
    .executeTakeFirst()
}

/** Whether an evaluation of the run that was created before this one has not ended yet. */
export async function hasOpenEvaluationBefore(
  q: Queries,
  { workspaceId, runId, evaluationId }: EvaluationScope & { runId: string },
): Promise<boolean> {
  const open = await activeEvaluations(q)
    .select('e.id')
    .where('e.workspace_id', '=', workspaceId)
    .where('e.run_id', '=', runId)
    .where('e.status', 'in', ['pending', 'running'])
    .where('e.id', '<', evaluationId)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** Counts pending and running evaluations, up to `most`: callers only need to know whether there are too many. */
export async function countOpenEvaluations(q: Queries, workspaceId: string, most: number): Promise<number> {
  const open = q
    .selectFrom('evaluations')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('status', 'in', ['pending', 'running'])
    .limit(most)
  const { count } = await q
    .selectFrom(open.as('open'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

export async function insertEvaluation(
  tx: Queries,
  evaluation: {
    workspaceId: string
    id: string
    componentId: string
    datasetId: string
    runId: string | null
    name: string | null
    config: string
    createdAt: string
  },
): Promise<void> {
  await tx
    .insertInto('evaluations')
    .values({
      workspace_id: evaluation.workspaceId,
      id: evaluation.id,
      component_id: evaluation.componentId,
      dataset_id: evaluation.datasetId,
      run_id: evaluation.runId,
      name: evaluation.name,
      status: 'pending',
      error: null,
      config: evaluation.config,
      cases_total: 0,
      cases_done: 0,
      cases_failed: 0,
      cases_skipped: 0,
      results: null,
      started_at: null,
      completed_at: null,
      created_at: evaluation.createdAt,
      updated_at: evaluation.createdAt,
    })
    .execute()
}

/** Does not change a finished evaluation. When another worker takes over, the times stay the same. */
export async function markEvaluationRunning(
  tx: Queries,
  { now, ...of }: EvaluationScope & { now: string },
): Promise<void> {
  await updateEvaluation(tx, of)
    .set(({ fn, val }) => ({
      status: 'running' as const,
      started_at: fn.coalesce('started_at', val(now)),
      external_since: fn.coalesce('external_since', val(now)),
      updated_at: now,
    }))
    .where('status', 'in', ['pending', 'running'])
    .execute()
}

type Ended = EvaluationScope & {
  status: 'completed' | 'failed'
  error: string | null
  results: string | null
  now: string
}

/** Returns whether the evaluation was active; a finished one stays unchanged. */
export async function markEvaluationEnded(tx: Queries, { now, ...ended }: Ended): Promise<boolean> {
  const { status, error, results } = ended
  const { numUpdatedRows } = await updateEvaluation(tx, ended)
    .set({ status, error, results, completed_at: now, updated_at: now })
    .where('status', 'in', ['pending', 'running'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The error of an evaluation that a user cancelled. */
export const CANCELLED_ERROR = 'cancelled'

/** Makes a finished evaluation pending again, with its plan at `plannedTo`. Returns whether it was finished. */
export async function markEvaluationPending(
  tx: Queries,
  { plannedTo, now, ...of }: EvaluationScope & { plannedTo: string; now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateEvaluation(tx, of)
    .set(({ eb }) => ({
      status: 'pending' as const,
      error: null,
      first_error: null,
      results: null,
      planned_to: plannedTo,
      retries: eb('retries', '+', 1),
      external_since: null,
      completed_at: null,
      updated_at: now,
    }))
    .where('status', 'in', ['completed', 'failed'])
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A retry gets a job of its own. */
export async function deleteJobsOfEvaluation(
  tx: Queries,
  { workspaceId, evaluationId }: EvaluationScope,
): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'evaluation')
    .where('payload', '=', JSON.stringify({ evaluationId }))
    .execute()
}

/** Returns false if another request has just deleted it. */
export async function markEvaluationDeleted(
  tx: Queries,
  { now, ...of }: EvaluationScope & { now: string },
): Promise<boolean> {
  const { numUpdatedRows } = await updateEvaluation(tx, of)
    .set({ deleted_at: now, updated_at: now })
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type EvaluationInComponent = EvaluationScope & { componentId: string }

/** Returns the evaluation that a path names. Throws 404 if it does not exist or belongs to another component. */
export async function requireEvaluation(q: Queries, { workspaceId, componentId, evaluationId }: EvaluationInComponent) {
  const evaluation = await findEvaluation(q, workspaceId, evaluationId)
  if (!evaluation || evaluation.component_id !== componentId) throw notFound('Evaluation')
  return evaluation
}

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
