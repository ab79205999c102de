import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import { lockRun } from '../../runs/run-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { type Rater, releaseLeases } from './lease-queries.ts'
import { saveSkips } from './skip-queries.ts'

type TracesOfRun = { componentId: string; runId: string; traceIds: readonly string[] }

/** Deletes the caller's leases on these traces, so that other raters can get them. Traces without a lease are ignored. */
export async function releaseTraces({ db }: Pick<Context, 'db'>, by: Principal, traces: TracesOfRun): Promise<void> {
  await db.transaction(async (tx) => {
    await release(tx, by, traces)
  })
}

/** Also moves the traces to the end of the caller's queue. */
export async function skipTraces(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  by: Principal,
  traces: TracesOfRun,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { rater, traceRefs } = await release(tx, by, traces)
    await saveSkips(tx, rater, { traceRefs, skippedAt: timestamp(clock.now()) })
  })
}

async function release(
  tx: Queries,
  { workspaceId, userId }: Principal,
  { componentId, runId, traceIds }: TracesOfRun,
): Promise<{ rater: Rater; traceRefs: string[] }> {
  if (!(await lockRun(tx, { workspaceId, componentId, runId }))) throw notFound('Run')
  const rater = { workspaceId, runId, userId }
  const traceRefs = await canonicalRefs(tx, workspaceId, traceIds)
  await releaseLeases(tx, rater, traceRefs)
  return { rater, traceRefs }
}
