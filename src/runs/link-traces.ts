import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import { lockComponent } from '../components/component-queries.ts'
import { lockDataset } from '../datasets/dataset-queries.ts'
import type { Context } from '../http/route.ts'
import { findMatchingTraces } from '../traces/find-matching-traces.ts'
import { markTracesOfRun } from '../traces/storing/run-source-queries.ts'
import { canonicalRefs } from '../traces/trace-ref-queries.ts'
import { findRun, insertRunTraces, lockRunExclusive, updateTraceCount } from './run-queries.ts'

export type LinkTraces = { workspaceId: string; componentId: string; runId: string; traceIds: string[] }

/** Links more traces to a run and returns the run. Traces that are already linked stay unchanged and are not counted again. */
export async function linkTraces(context: Pick<Context, 'db' | 'clock'>, input: LinkTraces) {
  const { run } = await linkAndCount(context, input)
  return run
}

/** The newest traces that match. Throws 404 if there is no such run. */
export async function findTracesToLink(
  context: Pick<Context, 'db' | 'clock' | 'signal'>,
  scope: Omit<LinkTraces, 'traceIds'>,
  wanted: { q: string; limit?: number },
): Promise<string[]> {
  const [known] = await findRun(context.db.read, scope)
  if (!known) throw notFound('Run')
  return findMatchingTraces(context, scope.workspaceId, wanted)
}

/** As `linkTraces`. Returns how many of the traces were linked already. */
export async function linkTracesFromQuery(context: Pick<Context, 'db' | 'clock'>, input: LinkTraces) {
  const { added, run } = await linkAndCount(context, input)
  return { added, skipped: input.traceIds.length - added, run }
}

/** As `linkTraces`, also with how many traces were not linked before. */
async function linkAndCount({ db, clock }: Pick<Context, 'db' | 'clock'>, input: LinkTraces) {
  const { workspaceId, componentId, runId } = input
  return db.transaction(async (tx) => {
    // Read without a lock to find its dataset: parents are locked from the top down, in the order in which deletes mark them.
    const [known] = await findRun(tx, input)
    if (!known || !(await lockComponent(tx, workspaceId, componentId))) throw notFound('Run')
    const { datasetId } = known
    const traceRefs = [...new Set(await canonicalRefs(tx, workspaceId, input.traceIds))]
    const rollups = await markTracesOfRun(tx, workspaceId, traceRefs)
    const isThere =
      (await lockDataset(tx, { workspaceId, componentId, datasetId })) && (await lockRunExclusive(tx, input))
    if (!isThere) throw notFound('Run')
    const createdAt = timestamp(clock.now())
    const added = await insertRunTraces(tx, { workspaceId, runId, traceRefs, createdAt })
    await updateTraceCount(tx, { workspaceId, runId, added })
    await rollups.write(tx, workspaceId)
    const [run] = await findRun(tx, input)
    return { run, added }
  })
}
