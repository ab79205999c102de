import { sql, type Updateable } from 'kysely'
import { notFound } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { lockForUpdate } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'

type Experiments = Tables['experiments']

export type ExperimentScope = { workspaceId: string; experimentId: string }
export type ExperimentInComponent = ExperimentScope & { componentId: string }

/** All but the ids of the items, which are large. */
const COLUMNS = [
  'e.workspace_id as workspaceId',
  'e.id',
  'e.component_id as componentId',
  'e.dataset_id as datasetId',
  'e.prompt_id as promptId',
  'e.name',
  'e.status',
  'e.phase',
  'e.ended_by as endedBy',
  'e.reason',
  'e.error',
  'e.max_nano_usd as maxNanoUsd',
  'e.spent_nano_usd as spentNanoUsd',
  'e.tokens_used as tokensUsed',
  'e.call_max_nano_usd as callMaxNanoUsd',
  'e.user_id as userId',
  'e.trial_id as trialId',
  'e.ends_at as endsAt',
  'e.started_at as startedAt',
  'e.completed_at as completedAt',
  'e.created_at as createdAt',
  'e.updated_at as updatedAt',
  'e.plan',
  'e.validation',
  'e.results',
] as const

export type ExperimentRow = ReturnType<typeof toExperiment>

/** An experiment exists only as long as its dataset, its component and its application. */
export function activeExperiments(q: Queries) {
  return q
    .selectFrom('experiments as e')
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

export const listExperiments = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  activeExperiments(q)
    .select([
      'e.id',
      'e.name',
      'e.status',
      'e.ended_by as endedBy',
      'e.dataset_id as datasetId',
      'e.prompt_id as promptId',
      'e.created_at as createdAt',
    ])
    .where('e.workspace_id', '=', value('workspaceId'))
    .where('e.component_id', '=', value('componentId'))
    .orderBy('e.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

export async function findExperiment(q: Queries, { workspaceId, experimentId }: ExperimentScope) {
  const row = await selectExperiments(q)
    .where('e.workspace_id', '=', workspaceId)
    .where('e.id', '=', experimentId)
    .executeTakeFirst()
  return row && toExperiment(row)
}

/** Of active experiments. */
export function selectExperiments(q: Queries) {
  return activeExperiments(q).select(COLUMNS)
}

type SelectedRow = Awaited<ReturnType<ReturnType<typeof selectExperiments>['execute']>>[number]

/** Sums are texts in some engines. */
export function toExperiment(row: SelectedRow) {
  return {
    ...row,
    maxNanoUsd: row.maxNanoUsd === null ? null : Number(row.maxNanoUsd),
    spentNanoUsd: Number(row.spentNanoUsd),
    tokensUsed: Number(row.tokensUsed),
    callMaxNanoUsd: Number(row.callMaxNanoUsd),
  }
}

/** Throws 404 if it does not exist or belongs to another component. */
export async function requireExperiment(
  q: Queries,
  { componentId, ...scope }: ExperimentInComponent,
): Promise<ExperimentRow> {
  const experiment = await findExperiment(q, scope)
  if (!experiment || experiment.componentId !== componentId) throw notFound('Experiment')
  return experiment
}

/** Locks the row, so that its changes are made one after the other. Undefined if it was deleted. */
export async function lockExperiment(tx: Queries, { workspaceId, experimentId }: ExperimentScope) {
  const row = selectScoped(tx, 'experiments', { workspace_id: workspaceId, id: experimentId, deleted_at: null }).select(
    ['status', 'phase', 'ended_by as endedBy', 'spent_nano_usd as spentNanoUsd'],
  )
  return lockForUpdate(tx, row).executeTakeFirst()
}

export type ExperimentItems = { train: string[]; validation: string[]; test: number }

export async function findExperimentItems(
  q: Queries,
  { workspaceId, experimentId }: ExperimentScope,
): Promise<ExperimentItems> {
  const { items } = await selectScoped(q, 'experiments', { workspace_id: workspaceId, id: experimentId })
    .select('items')
    .executeTakeFirstOrThrow()
  return JSON.parse(items)
}

/** Counts experiments that run, up to `most`. */
export async function countRunningExperiments(q: Queries, workspaceId: string, most: number): Promise<number> {
  const rows = await activeExperiments(q)
    .select('e.id')
    .where('e.workspace_id', '=', workspaceId)
    // As in the condition of the index, which parameters would not match.
    .where(sql<boolean>`e.status = 'running'`)
    .limit(most)
    .execute()
  return rows.length
}

export async function insertExperiment(
  tx: Queries,
  experiment: Pick<Experiments, 'workspace_id' | 'id' | 'component_id' | 'dataset_id' | 'prompt_id' | 'name'> &
    Pick<Experiments, 'user_id' | 'max_nano_usd' | 'plan' | 'items' | 'created_at'>,
): Promise<void> {
  await tx
    .insertInto('experiments')
    .values({
      ...experiment,
      status: 'pending',
      phase: 'created',
      ended_by: null,
      reason: null,
      error: null,
      trial_id: null,
      ends_at: null,
      started_at: null,
      completed_at: null,
      updated_at: experiment.created_at,
      deleted_at: null,
      validation: null,
      results: null,
    })
    .execute()
}

type Change = Omit<Updateable<Experiments>, 'workspace_id' | 'id' | 'updated_at'>

/** With `onlyIf`, returns false unless the experiment has one of these statuses. */
export async function updateExperiment(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  { now, onlyIf, ...change }: Change & { now: string; onlyIf?: readonly Experiments['status'][] },
): Promise<boolean> {
  let rows = updateScoped(tx, 'experiments', { workspace_id: workspaceId, id: experimentId, deleted_at: null }).set({
    ...change,
    updated_at: now,
  })
  if (onlyIf) rows = rows.where('status', 'in', onlyIf)
  const { numUpdatedRows } = await rows.executeTakeFirst()
  return numUpdatedRows > 0n
}

/** In the transaction that ends or returns the call that has cost it. */
export async function addSpent(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  { nanoUsd, tokens, now }: { nanoUsd: number; tokens: number; now: string },
): Promise<void> {
  await updateScoped(tx, 'experiments', { workspace_id: workspaceId, id: experimentId })
    .set({
      spent_nano_usd: sql<number>`spent_nano_usd + ${sql.lit(nanoUsd)}`,
      tokens_used: sql<number>`tokens_used + ${sql.lit(tokens)}`,
      updated_at: now,
    })
    .execute()
}

/** The most that a call has been reserved at: the test split needs room for one more. */
export async function raiseCallMax(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
  nanoUsd: number,
): Promise<void> {
  await updateScoped(tx, 'experiments', { workspace_id: workspaceId, id: experimentId })
    .set({ call_max_nano_usd: nanoUsd })
    .where('call_max_nano_usd', '<', nanoUsd)
    .execute()
}

/** A resumed experiment gets a job of its own. */
export async function deleteJobsOfExperiment(
  tx: Queries,
  { workspaceId, experimentId }: ExperimentScope,
): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'experiment')
    .where('payload', '=', JSON.stringify({ experimentId }))
    .execute()
}
