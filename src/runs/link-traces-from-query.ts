import { notFound } from '../base/errors.ts'
import type { Context } from '../http/route.ts'
import { findMatchingTraces } from '../traces/find-matching-traces.ts'
import { linkAndCount } from './link-traces.ts'
import { findRun } from './run-queries.ts'

type RunScope = { workspaceId: string; componentId: string; runId: string }

/** Links the newest traces that match to a run. A trace that is already linked is skipped. */
export async function linkTracesFromQuery(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  scope: RunScope,
  wanted: { q: string; limit?: number },
) {
  const [known] = await findRun(db.read, scope)
  if (!known) throw notFound('Run')
  const traceIds = await findMatchingTraces({ db, clock, signal }, scope.workspaceId, wanted)
  const { added, run } = await linkAndCount({ db, clock }, { ...scope, traceIds })
  return { added, skipped: traceIds.length - added, run }
}
