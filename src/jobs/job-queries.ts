/** Most of these queries are across workspaces, because a worker serves all of them. */
import type { ExpressionBuilder } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Queries } from '../storage/db.ts'
import { dbNow, skippingLocked } from '../storage/dialect.ts'
import { deleteScoped, prepared, updateScoped } from '../storage/query-building.ts'
import type { Tables } from '../storage/tables.ts'

/** Longer than any retry delay and any pause. */
const DELAY_SECONDS_LIMIT = 600

export type ClaimedJob = {
  workspaceId: string
  id: string
  kind: string
  payload: string
  /** Starts at 1. */
  attempt: number
  fence: number
}

export async function insertJob(
  tx: Queries,
  clock: Clock,
  job: { workspaceId: string; id: string; kind: string; payload: string; createdAt: string },
): Promise<void> {
  await tx
    .insertInto('jobs')
    .values({
      workspace_id: job.workspaceId,
      id: job.id,
      kind: job.kind,
      payload: job.payload,
      state: 'queued',
      attempts: 0,
      fence: 0,
      // The database clock, because it is compared with that: a server whose clock is ahead must not delay its jobs.
      run_at: dbNow(tx, clock, 0),
      lease_owner: null,
      lease_until: null,
      last_error: null,
      created_at: job.createdAt,
    })
    .execute()
}

/** Makes a queued job due now. */
export async function updateQueuedJob(
  tx: Queries,
  clock: Clock,
  { workspaceId, kind, payload }: { workspaceId: string; kind: string; payload: string },
): Promise<void> {
  await updateScoped(tx, 'jobs', { workspace_id: workspaceId, kind, payload, state: 'queued' })
    .set({ run_at: dbNow(tx, clock, 0) })
    .execute()
}

/** Without building a query, because an idle worker asks this several times a second. */
const findAnyJob = prepared<Record<string, never>>()((q) => q.selectFrom('jobs').select('id').limit(1))

export async function hasDueJobOfAnyWorkspace(q: Queries, clock: Clock): Promise<boolean> {
  const [any] = await findAnyJob(q, {})
  if (!any) return false
  const due = q.selectFrom('jobs as j').select('j.id').where(isDue(q, clock)).orderBy('j.run_at').limit(1)
  return (await due.executeTakeFirst()) !== undefined
}

/** The workspaces with due jobs, up to a limit. */
export async function listWorkspacesWithDueJobs(q: Queries, clock: Clock, limit: number): Promise<string[]> {
  const rows = await q
    .selectFrom('jobs as j')
    .select('j.workspace_id')
    .distinct()
    .where(isDue(q, clock))
    .limit(limit)
    .execute()
  return rows.map(({ workspace_id }) => workspace_id)
}

export type Claim = { owner: string; limit: number; leaseSeconds: number; expired?: 'counted' | 'not counted' }

/**
 * Claims up to `limit` jobs that are due, or whose worker has stopped renewing its lease. One statement, so two workers never
 * get the same job. The attempt is counted before the job runs: a job that kills the process must still use up its attempts. With
 * `expired: 'not counted'`, a lease that has expired is taken for one that could not be renewed, and costs no attempt.
 *
 * Workspaces take turns: the first job of each comes before the second of any, counting those that are running. A thousand jobs of
 * one workspace delay a job of another by one.
 */
export async function claimJobsOfAnyWorkspace(
  tx: Queries,
  clock: Clock,
  { owner, limit, leaseSeconds, expired = 'counted' }: Claim,
): Promise<ClaimedJob[]> {
  return (
    tx
      .with('turns', () => turnsOf(tx, clock))
      // A CTE, so that it runs once: inside IN, the planner may run it once per row and claim more than the limit.
      .with('due', (q) =>
        q
          .selectFrom('jobs as j')
          .innerJoin('turns', 'turns.id', 'j.id')
          .select('j.id')
          // Checked again under the lock: another worker may have claimed the job since the turns were computed.
          .where(isDue(tx, clock))
          .orderBy('turns.turn')
          .orderBy('j.run_at')
          .limit(limit)
          .modifyEnd(skippingLocked(tx)),
      )
      .updateTable('jobs')
      .set(({ eb }) => ({
        state: 'running' as const,
        lease_owner: owner,
        lease_until: dbNow(tx, clock, leaseSeconds),
        fence: eb('fence', '+', 1),
        attempts:
          expired === 'counted'
            ? eb('attempts', '+', 1)
            : eb
                .case()
                .when('state', '=', 'running')
                .then(eb.ref('attempts'))
                .else(eb('attempts', '+', 1))
                .end(),
      }))
      .where('id', 'in', (q) => q.selectFrom('due').select('due.id'))
      .returning(['workspace_id as workspaceId', 'id', 'kind', 'payload', 'attempts as attempt', 'fence'])
      .execute()
  )
}

/** False if another worker has claimed the job: then this worker must not write for it any more. */
export async function renewLease(
  tx: Queries,
  clock: Clock,
  job: ClaimedJob,
  { leaseSeconds, attempts }: { leaseSeconds: number; attempts?: number },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'jobs', {
    workspace_id: job.workspaceId,
    id: job.id,
    fence: job.fence,
    state: 'running',
  })
    .set({ lease_until: dbNow(tx, clock, leaseSeconds), ...(attempts === undefined ? {} : { attempts }) })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteJob(tx: Queries, job: ClaimedJob): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'jobs', {
    workspace_id: job.workspaceId,
    id: job.id,
    fence: job.fence,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Returns a job to the queue after a delay, or marks it as failed, with its error. */
export async function returnJob(
  tx: Queries,
  clock: Clock,
  job: ClaimedJob,
  outcome: { state: 'queued' | 'failed'; pauseSeconds: number; error: string | null; attempts: number },
): Promise<boolean> {
  const { numUpdatedRows } = await updateScoped(tx, 'jobs', {
    workspace_id: job.workspaceId,
    id: job.id,
    fence: job.fence,
  })
    .set({
      state: outcome.state,
      run_at: dbNow(tx, clock, outcome.pauseSeconds),
      lease_owner: null,
      lease_until: null,
      last_error: outcome.error,
      attempts: outcome.attempts,
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Makes all running jobs due immediately. Only safe when no other process can be running jobs. */
export async function endLeasesOfAnyWorkspace(tx: Queries, clock: Clock): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ lease_until: dbNow(tx, clock, -1) })
    .where('state', '=', 'running')
    .execute()
}

/** Each due job with its position in the queue of its workspace, after the running jobs. */
function turnsOf(q: Queries, clock: Clock) {
  return q
    .selectFrom('jobs as j')
    .select('j.id')
    .select(({ fn, eb, selectFrom }) => {
      const running = selectFrom('jobs as r')
        .select(({ fn: of }) => of.countAll<number>().as('count'))
        .whereRef('r.workspace_id', '=', 'j.workspace_id')
        .where('r.state', '=', 'running')
        .where('r.lease_until', '>=', dbNow(q, clock, 0))
      const position = fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('j.workspace_id').orderBy('j.run_at').orderBy('j.id'))
      return eb(position, '+', running).as('turn')
    })
    .where(isDue(q, clock))
}

function isDue(q: Queries, clock: Clock) {
  const now = dbNow(q, clock, 0)
  return ({ eb, and, or }: ExpressionBuilder<Tables & { j: Tables['jobs'] }, 'j'>) =>
    or([
      and([eb('j.state', '=', 'queued'), eb('j.run_at', '<=', now)]),
      // No delay is this long: the clock was set back in the meantime.
      and([eb('j.state', '=', 'queued'), eb('j.run_at', '>', dbNow(q, clock, DELAY_SECONDS_LIMIT))]),
      and([eb('j.state', '=', 'running'), eb('j.lease_until', '<', now)]),
    ])
}
