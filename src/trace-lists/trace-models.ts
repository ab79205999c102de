import type { Queries } from '../storage/db.ts'
import { type ModelSummary, summarizeModels } from '../traces/list-fields.ts'
import { listKeySpans, listModels, type TraceDetails } from './trace-row-queries.ts'

/** The number of spans that are read for one page. Few pages have more, but a single trace may. */
const SPANS_READ_MAX = 20_000

type TraceModels = ModelSummary & { hasAllModels: boolean }

/**
 * The models of traces and the basis of their costs, for traces that are not stored with them. Beyond the limit of spans, only the first
 * and the last model call are read.
 */
export async function readModels(
  q: Queries,
  workspaceId: string,
  traces: readonly TraceDetails[],
): Promise<Map<string, TraceModels>> {
  let spansLeft = SPANS_READ_MAX
  const unknown = traces.filter(({ modelSummary }) => modelSummary === null)
  const { whole = [], large = [] } = Object.groupBy(unknown, ({ spanCount }) => {
    spansLeft -= spanCount
    return spansLeft >= 0 ? 'whole' : 'large'
  })
  const all = Map.groupBy(await listModels(q, workspaceId, idsOf(whole)), ({ traceDbId }) => traceDbId)
  const some = Map.groupBy(await listKeySpans(q, workspaceId, idsOf(large)), ({ traceDbId }) => traceDbId)
  const models = new Map<string, TraceModels>()
  for (const id of idsOf(whole)) models.set(id, { ...summarizeModels(all.get(id) ?? []), hasAllModels: true })
  for (const id of idsOf(large)) models.set(id, { ...summarizeModels(some.get(id) ?? []), hasAllModels: false })
  return models
}

function idsOf(traces: readonly TraceDetails[]): string[] {
  return traces.map(({ id }) => id)
}
