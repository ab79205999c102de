import { sql, type Updateable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import type { Queries } from '../storage/db.ts'
import { dbNow, lockForShare, lockForUpdate } from '../storage/dialect.ts'
import { pagedList } from '../storage/paged-list.ts'
import { selectScoped, updateScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'

type Trials = Tables['trials']

export type TrialScope = { workspaceId: string; trialId: string }
export type TrialInComponent = TrialScope & { componentId: string }

/** All but the ids of the items, which are large. */
const COLUMNS = [
  't.workspace_id as workspaceId',
  't.id',
  't.component_id as componentId',
  't.dataset_id as datasetId',
  't.name',
  't.status',
  't.phase',
  't.ended_by as endedBy',
  't.error',
  't.calls_total as callsTotal',
  't.calls_planned as callsPlanned',
  't.calls_until as callsUntil',
  't.max_nano_usd as maxNanoUsd',
  't.user_id as userId',
  't.ends_at as endsAt',
  't.started_at as startedAt',
  't.completed_at as completedAt',
  't.created_at as createdAt',
  't.updated_at as updatedAt',
  't.plan',
  't.results',
  't.looks',
  't.canceled_by as canceledBy',
] as const

export type TrialRow = NonNullable<Awaited<ReturnType<typeof findTrial>>>

/** A trial exists only as long as its dataset, its component and its application. */
export function activeTrials(q: Queries) {
  return q
    .selectFrom('trials as t')
    .innerJoin('datasets as d', (join) =>
      join.onRef('d.workspace_id', '=', 't.workspace_id').onRef('d.id', '=', 't.dataset_id'),
    )
    .innerJoin('components as c', (join) =>
      join.onRef('c.workspace_id', '=', 't.workspace_id').onRef('c.id', '=', 't.component_id'),
    )
    .innerJoin('workspaces as w', 'w.id', 't.workspace_id')
    .where('t.deleted_at', 'is', null)
    .where('d.deleted_at', 'is', null)
    .where('c.deleted_at', 'is', null)
    .where('w.deleted_at', 'is', null)
}

export const listTrials = pagedList<{ workspaceId: string; componentId: string }>()((q, value) =>
  activeTrials(q)
    .select([
      't.id',
      't.name',
      't.status',
      't.ended_by as endedBy',
      't.dataset_id as datasetId',
      't.calls_total as calls',
      't.created_at as createdAt',
    ])
    .where('t.workspace_id', '=', value('workspaceId'))
    .where('t.component_id', '=', value('componentId'))
    .orderBy('t.id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

export async function findTrial(q: Queries, { workspaceId, trialId }: TrialScope) {
  return activeTrials(q)
    .select(COLUMNS)
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', '=', trialId)
    .executeTakeFirst()
}

/** Of several with this name, the newest. */
export async function findTrialByName(
  q: Queries,
  { workspaceId, componentId, name }: { workspaceId: string; componentId: string; name: string },
) {
  return activeTrials(q)
    .select(['t.id', 't.name', 't.status'])
    .where('t.workspace_id', '=', workspaceId)
    .where('t.component_id', '=', componentId)
    .where('t.name', '=', name)
    .orderBy('t.id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Throws 404 if it does not exist or belongs to another component. */
export async function requireTrial(q: Queries, { componentId, ...scope }: TrialInComponent): Promise<TrialRow> {
  const trial = await findTrial(q, scope)
  if (!trial || trial.componentId !== componentId) throw notFound('Trial')
  return trial
}

/** Locks the row, so that its changes are made one after the other. Undefined if it was deleted. */
export async function lockTrial(tx: Queries, { workspaceId, trialId }: TrialScope) {
  const row = selectScoped(tx, 'trials', { workspace_id: workspaceId, id: trialId, deleted_at: null }).select([
    'status',
    'phase',
    'ended_by as endedBy',
    'calls_total as callsTotal',
    'calls_planned as callsPlanned',
    'dataset_id as datasetId',
    'component_id as componentId',
    'plan',
  ])
  return lockForUpdate(tx, row).executeTakeFirst()
}

/** Whether calls of a trial may begin. Until the transaction ends, the trial is not canceled and does not end. */
export async function lockCalling(tx: Queries, { workspaceId, trialId }: TrialScope): Promise<boolean> {
  const row = selectScoped(tx, 'trials', { workspace_id: workspaceId, id: trialId, phase: 'calling', deleted_at: null })
    .select('id')
    .where('status', '=', 'running')
    .where('ended_by', 'is', null)
  return (await lockForShare(tx, row).executeTakeFirst()) !== undefined
}

/** The items of a trial whose calls are not all rows yet. */
export async function findPlannedItems(q: Queries, { workspaceId, trialId }: TrialScope): Promise<string[]> {
  const row = await selectScoped(q, 'trials', { workspace_id: workspaceId, id: trialId })
    .select('item_ids')
    .executeTakeFirst()
  return JSON.parse(row?.item_ids ?? '[]')
}

/** Counts trials that have not ended, up to `most`. */
export async function countOpenTrials(q: Queries, workspaceId: string, most: number): Promise<number> {
  const open = activeTrials(q)
    .select('t.id')
    .where('t.workspace_id', '=', workspaceId)
    // As in the condition of the index, which parameters would not match.
    .where(sql<boolean>`t.status in ('pending', 'running')`)
    .limit(most)
  const rows = await open.execute()
  return rows.length
}

/** Counts the open trials of an application that were created before this one. Ids are in the order of creation. */
export async function countTrialsBefore(q: Queries, { workspaceId, trialId }: TrialScope): Promise<number> {
  const { count } = await activeTrials(q)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('t.workspace_id', '=', workspaceId)
    .where('t.id', '<', trialId)
    .where(sql<boolean>`t.status in ('pending', 'running')`)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Longer than a free worker needs to find a job that is due. */
const TURN_SECONDS = 2

/** Whether the job of a trial has been due for a while, and no worker of the server has begun it. */
export async function isTurnAwaited(q: Queries, clock: Clock, { workspaceId, trialId }: TrialScope): Promise<boolean> {
  const job = await selectScoped(q, 'jobs', {
    workspace_id: workspaceId,
    kind: 'trial',
    payload: JSON.stringify({ trialId }),
  })
    .select('id')
    .where('state', '=', 'queued')
    .where('run_at', '<=', dbNow(q, clock, -TURN_SECONDS))
    .limit(1)
    .executeTakeFirst()
  return job !== undefined
}

export async function insertTrial(
  tx: Queries,
  trial: Pick<Trials, 'workspace_id' | 'id' | 'component_id' | 'dataset_id' | 'name' | 'calls_total' | 'user_id'> &
    Pick<Trials, 'calls_until' | 'max_nano_usd' | 'plan' | 'item_ids' | 'created_at'>,
): Promise<void> {
  await tx
    .insertInto('trials')
    .values({
      ...trial,
      status: 'pending',
      phase: 'planning',
      ended_by: null,
      error: null,
      calls_planned: 0,
      ends_at: null,
      started_at: null,
      completed_at: null,
      updated_at: trial.created_at,
      deleted_at: null,
    })
    .execute()
}

type Change = Omit<Updateable<Trials>, 'workspace_id' | 'id' | 'updated_at'>

/** With `onlyIf`, returns false unless the trial has one of these statuses. */
export async function updateTrial(
  tx: Queries,
  { workspaceId, trialId }: TrialScope,
  { now, onlyIf, ...change }: Change & { now: string; onlyIf?: readonly Trials['status'][] },
): Promise<boolean> {
  let rows = updateScoped(tx, 'trials', { workspace_id: workspaceId, id: trialId, deleted_at: null }).set({
    ...change,
    updated_at: now,
  })
  if (onlyIf) rows = rows.where('status', 'in', onlyIf)
  const { numUpdatedRows } = await rows.executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A retry gets a job of its own. */
export async function deleteJobsOfTrial(tx: Queries, { workspaceId, trialId }: TrialScope): Promise<void> {
  await tx
    .deleteFrom('jobs')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'trial')
    .where('payload', '=', JSON.stringify({ trialId }))
    .execute()
}
