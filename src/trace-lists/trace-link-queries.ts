/** Where a trace is used. Every list is bounded, and so is the counting of positions. */
import { sql } from 'kysely'
import { activeRuns } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { selectScoped } from '../storage/query-building.ts'
import { scoredTrace, scoresVisibleTo } from '../traces/query/visible-score-queries.ts'

export const RUNS_MAX = 20
export const ITEMS_MAX = 20
export const SCORES_MAX = 60

/** In larger runs and datasets positions are not counted: each one reads all cases before it. */
const COUNTED_MAX = 2_000

type LinkedTrace = { workspaceId: string; traceDbId: string; traceRef: string }

/** The runs of a trace, newest first, at most one more than `RUNS_MAX`. */
export async function listRunLinks(q: Queries, { workspaceId, traceDbId, traceRef }: LinkedTrace) {
  return activeRuns(q)
    .innerJoin('run_traces as l', (join) =>
      join.onRef('l.workspace_id', '=', 'r.workspace_id').onRef('l.run_id', '=', 'r.id'),
    )
    .leftJoin('dataset_items as named', (join) =>
      join
        .onRef('named.workspace_id', '=', 'l.workspace_id')
        .onRef('named.dataset_id', '=', 'r.dataset_id')
        .onRef('named.id', '=', 'l.item_id'),
    )
    .leftJoin('dataset_items as own', (join) =>
      join
        .onRef('own.workspace_id', '=', 'l.workspace_id')
        .onRef('own.dataset_id', '=', 'r.dataset_id')
        .onRef('own.trace_ref', '=', 'l.trace_ref'),
    )
    .select(IN_DATASET)
    .select(['r.id as runId', 'r.name as runName', 'r.created_at as createdAt', 'r.trace_count as traceCount'])
    .select(caseNumber(traceDbId).as('caseNumber'))
    .select(({ fn }) => fn.coalesce('named.id', 'own.id').as('itemId'))
    .where('l.workspace_id', '=', workspaceId)
    .where('l.trace_ref', '=', traceRef)
    .orderBy('r.id', 'desc')
    .limit(RUNS_MAX + 1)
    .execute()
}

/** The position among the traces of the run that have arrived, in the order of `listRunTraces` from the end. */
function caseNumber(traceDbId: string) {
  return sql<number | null>`case when r.trace_count <= ${sql.lit(COUNTED_MAX)} then
    (select count(*) from run_traces as x
      inner join traces as y on y.workspace_id = x.workspace_id and y.trace_id = x.trace_ref and y.deleted_at is null
      where x.workspace_id = r.workspace_id and x.run_id = r.id
        and (x.created_at < l.created_at or (x.created_at = l.created_at and y.id <= ${traceDbId}))) end`
}

/** The dataset items that were created from a trace, newest first, at most one more than `ITEMS_MAX`. */
export async function listItemLinks(q: Queries, { workspaceId, traceRef }: LinkedTrace) {
  return q
    .selectFrom('dataset_items as i')
    .innerJoin('datasets as d', (join) =>
      join
        .onRef('d.workspace_id', '=', 'i.workspace_id')
        .onRef('d.id', '=', 'i.dataset_id')
        .on('d.deleted_at', 'is', null),
    )
    .innerJoin('components as c', (join) =>
      join
        .onRef('c.workspace_id', '=', 'd.workspace_id')
        .onRef('c.id', '=', 'd.component_id')
        .on('c.deleted_at', 'is', null),
    )
    .select(IN_DATASET)
    .select(['i.id as itemId', itemNumber.as('itemNumber')])
    .where('i.workspace_id', '=', workspaceId)
    .where('i.trace_ref', '=', traceRef)
    .orderBy('i.id', 'desc')
    .limit(ITEMS_MAX + 1)
    .execute()
}

const itemNumber = sql<number | null>`case when d.item_count <= ${sql.lit(COUNTED_MAX)} then
  (select count(*) from dataset_items as x
    where x.workspace_id = i.workspace_id and x.dataset_id = i.dataset_id and x.id <= i.id) end`

const IN_DATASET = [
  'c.id as aiComponentId',
  'c.name as componentName',
  'd.id as datasetId',
  'd.name as datasetName',
] as const

export async function findTraceOrigin(
  q: Queries,
  { workspaceId, traceDbId }: Pick<LinkedTrace, 'workspaceId' | 'traceDbId'>,
) {
  return selectScoped(q, 'traces', { workspace_id: workspaceId, id: traceDbId })
    .select(['source', 'prompts', 'component_id as componentId'])
    .executeTakeFirst()
}

/** Which versions of these prompts exist. A prompt without any of these versions is returned once, without a number. */
export async function listPromptVersionsNamed(
  q: Queries,
  {
    workspaceId,
    componentId,
    names,
    numbers,
  }: { workspaceId: string; componentId: string; names: readonly string[]; numbers: readonly number[] },
) {
  return q
    .selectFrom('prompts as p')
    .leftJoin('prompt_versions as v', (join) =>
      join
        .onRef('v.workspace_id', '=', 'p.workspace_id')
        .onRef('v.prompt_id', '=', 'p.id')
        .on('v.number', 'in', numbers.length === 0 ? [0] : numbers)
        .on('v.deleted_at', 'is', null),
    )
    .select(['p.id', 'p.name', 'v.number'])
    .where('p.workspace_id', '=', workspaceId)
    .where('p.component_id', '=', componentId)
    .where('p.name', 'in', names)
    .where('p.deleted_at', 'is', null)
    .execute()
}

/** The scores of a trace that the reader may see, newest evaluation first, at most one more than `SCORES_MAX`. */
export async function listScoreLinks(
  q: Queries,
  { workspaceId, traceRef, blindRuns }: LinkedTrace & { blindRuns: readonly string[] },
) {
  const scores = scoresVisibleTo(workspaceId, blindRuns)
    // A deleted run is not linked.
    .leftJoin('runs as r', (join) =>
      join.onRef('r.workspace_id', '=', 'e.workspace_id').onRef('r.id', '=', 'e.run_id').on('r.deleted_at', 'is', null),
    )
    .select(['k.id as aiComponentId', 'k.name as componentName', 'd.id as datasetId', 'd.name as datasetName'])
    .select(['e.id as evaluationId', 'e.name as evaluationName', 'e.created_at as createdAt'])
    .select(['r.id as runId', 'r.name as runName', 'x.evaluator', 'x.repetition'])
    .select(['x.score', 'x.label', 'x.passed', 'x.reason'])
    .where(scoredTrace, '=', traceRef)
    .orderBy('x.evaluation_id', 'desc')
    .orderBy('x.evaluator')
    .orderBy('x.repetition')
    .limit(SCORES_MAX + 1)
  const rows = await q
    .selectFrom(scores.as('s'))
    .selectAll()
    .orderBy('evaluationId', 'desc')
    .orderBy('evaluator')
    .orderBy('repetition')
    .execute()
  return rows.map(({ passed, ...row }) => ({ ...row, passed: passed === null ? null : passed === 1 }))
}
