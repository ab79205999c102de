/** Which versions of a prompt the traces of runs name, and what evaluations of runs judged. */
import { sql } from 'kysely'
import { activeRuns } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { jsonText } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'

type OfDataset = { workspaceId: string; componentId: string; datasetId: string }

export type EvaluatedRun = { runId: string; runName: string | null; traceCount: number }

/** Runs that have a completed evaluation, newest first. */
export async function listEvaluatedRuns(
  q: Queries,
  { workspaceId, componentId, datasetId, limit }: OfDataset & { limit: number },
): Promise<EvaluatedRun[]> {
  return activeRuns(q)
    .select(['r.id as runId', 'r.name as runName', 'r.trace_count as traceCount'])
    .where('r.workspace_id', '=', workspaceId)
    .where('r.component_id', '=', componentId)
    .where('r.dataset_id', '=', datasetId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('evaluations as e')
          .select('e.id')
          .whereRef('e.workspace_id', '=', 'r.workspace_id')
          .whereRef('e.run_id', '=', 'r.id')
          .where('e.status', '=', 'completed')
          .where('e.deleted_at', 'is', null),
      ),
    )
    .orderBy('r.id', 'desc')
    .limit(limit)
    .execute()
}

/** What the first trace of each run names, as JSON. */
export async function listFirstPrompts(
  q: Queries,
  { workspaceId, runIds }: { workspaceId: string; runIds: readonly string[] },
): Promise<{ runId: string; prompts: string | null }[]> {
  if (runIds.length === 0) return []
  return linkedTraces(q)
    .select(['l.run_id as runId', 't.prompts'])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', 'in', runIds)
    .where(({ eb, selectFrom }) =>
      eb(
        'l.trace_ref',
        '=',
        selectFrom('run_traces as first')
          .select(({ fn }) => fn.min('first.trace_ref').as('ref'))
          .whereRef('first.workspace_id', '=', 'l.workspace_id')
          .whereRef('first.run_id', '=', 'l.run_id'),
      ),
    )
    .execute()
}

/** What the traces of a run name, as JSON; null for those that name nothing or have not arrived. With the time of the first one. */
export async function listRunPrompts(
  q: Queries,
  { workspaceId, runId }: { workspaceId: string; runId: string },
): Promise<{ prompts: string | null; traces: number; firstAt: string | null }[]> {
  const rows = await linkedTraces(q)
    .select(['t.prompts'])
    .select(({ fn }) => [fn.countAll<number>().as('traces'), fn.min('t.created_at').as('firstAt')])
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', '=', runId)
    .groupBy('t.prompts')
    .execute()
  return rows.map((row) => ({ ...row, traces: Number(row.traces) }))
}

/** The median duration of the traces of each run that have ended, by run: the smallest that half of them do not exceed. */
export async function listMedianDurations(
  q: Queries,
  { workspaceId, runIds }: { workspaceId: string; runIds: readonly string[] },
): Promise<{ runId: string; medianMs: number; traces: number }[]> {
  if (runIds.length === 0) return []
  const ended = linkedTraces(q)
    .select('l.run_id as runId')
    .select(sql<number>`t.end_ns - t.start_ns`.as('ns'))
    .select(sql<number>`row_number() over (partition by l.run_id order by t.end_ns - t.start_ns)`.as('place'))
    .select(sql<number>`count(*) over (partition by l.run_id)`.as('traces'))
    .where('l.workspace_id', '=', workspaceId)
    .where('l.run_id', 'in', runIds)
    .where('t.end_ns', 'is not', null)
  const rows = await q
    .selectFrom(ended.as('e'))
    .select(['e.runId', 'e.ns', 'e.traces'])
    .where(sql<boolean>`e.place = (e.traces + 1) / 2`)
    .execute()
  return rows.map(({ runId, ns, traces }) => ({
    runId,
    medianMs: Math.round(Number(ns) / 1e6),
    traces: Number(traces),
  }))
}

function linkedTraces(q: Queries) {
  return q
    .selectFrom('run_traces as l')
    .leftJoin('traces as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'l.workspace_id')
        .onRef('t.trace_id', '=', 'l.trace_ref')
        .on('t.deleted_at', 'is', null),
    )
}

/** When these evaluations were completed, and their metrics as JSON. */
export async function listEvaluationFacts(
  q: Queries,
  { workspaceId, evaluationIds }: { workspaceId: string; evaluationIds: readonly string[] },
): Promise<{ id: string; completedAt: string | null; metrics: string | null }[]> {
  if (evaluationIds.length === 0) return []
  return selectScoped(q, 'evaluations', { workspace_id: workspaceId })
    .select(['id', 'completed_at as completedAt', jsonText(q, sql<string>`results`, 'metrics').as('metrics')])
    .where('id', 'in', evaluationIds)
    .execute()
}

export type JudgedItem = {
  ref: string
  itemId: string
  /** The same unless the item was edited while it was judged. */
  firstHash: string | null
  lastHash: string | null
}

/** The items that an evaluation judged, with what of them it judged. By trace, a page after `after`. */
export async function listJudgedItems(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    evaluator,
    after,
    limit,
  }: { workspaceId: string; evaluationId: string; evaluator: string | undefined; after: string; limit: number },
): Promise<JudgedItem[]> {
  let scores = selectScoped(q, 'evaluation_scores', { workspace_id: workspaceId, evaluation_id: evaluationId })
    .select(({ fn }) => [
      'case_ref as ref',
      'item_id',
      fn.min('item_hash').as('firstHash'),
      fn.max('item_hash').as('lastHash'),
    ])
    .where('item_id', 'is not', null)
    .where('state', '=', 'scored')
    .where('case_ref', '>', after)
  if (evaluator !== undefined) scores = scores.where('evaluator', '=', evaluator)
  const rows = await scores.groupBy(['case_ref', 'item_id']).orderBy('case_ref').limit(limit).execute()
  return rows.map(({ item_id, ...row }) => ({ ...row, itemId: item_id ?? '' }))
}

/** The items of a dataset that are newer than an id. */
export async function countItemsAfter(
  q: Queries,
  { workspaceId, datasetId, after }: { workspaceId: string; datasetId: string; after: string },
): Promise<number> {
  const { count } = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('id', '>', after)
    .executeTakeFirstOrThrow()
  return Number(count)
}
