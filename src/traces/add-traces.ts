import { badRequest, notFound } from '../base/errors.ts'
import { findComponent } from '../components/component-queries.ts'
import type { Context } from '../http/route.ts'
import type { Ingest } from './ingest-spans.ts'
import { spansOfTrace, type Trace } from './native-trace.ts'
import { readerOf } from './spans-at-hand.ts'
import { findTraceIds } from './trace-queries.ts'

const SPANS_MAX = 10_000

export type AddTraces = { workspaceId: string; componentId: string; traces: Trace[] }

/** Stores traces that were sent as JSON; answers their ids in the order given. A trace that is sent again stays as it is. */
export async function addTraces(
  { db, clock, newId }: Pick<Context, 'db' | 'clock' | 'newId'>,
  ingest: Ingest,
  { workspaceId, componentId, traces }: AddTraces,
): Promise<{ id: string; traceId: string }[]> {
  const [component] = await findComponent(db.read, { workspaceId, componentId })
  if (!component) throw notFound('Component')
  const context = { nowMs: clock.now(), newId }
  const spans = traces.map((trace) => spansOfTrace(trace, context))
  const count = spans.reduce((sum, own) => sum + own.length, 0)
  if (count > SPANS_MAX) throw badRequest(`A request may hold at most ${SPANS_MAX} spans; this one has ${count}`)
  await ingest({ workspaceId, componentId, within: db }, readerOf(spans.flat()))
  const names = spans.map(([first]) => first?.traceId ?? '')
  const ids = await findTraceIds(db.read, workspaceId, names)
  return names.map((traceId) => ({ id: ids.get(traceId) ?? '', traceId }))
}
