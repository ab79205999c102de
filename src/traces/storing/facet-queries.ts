/**
 * The distinct values of a trace that users filter by. Each has its own row, so that a rare value among a million traces is found
 * quickly. The facets of a trace can be derived from its spans and its row, which is how they are deleted.
 */
import type { Queries } from '../../storage/db.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { deleteScoped } from '../../storage/query-building.ts'
import { cutFacet } from './cut-facet.ts'
import type { TraceState } from './trace-state.ts'

type OfTrace = { traceDbId: string; values: readonly FacetValue[] }

export async function insertFacets(tx: Queries, workspaceId: string, traces: readonly OfTrace[]): Promise<void> {
  await insertNewRows(
    tx,
    {
      table: 'trace_facets',
      columns: ['workspace_id', 'facet', 'value', 'trace_id'],
      rows: traces.flatMap(({ traceDbId, values }) =>
        values.map(([facet, value]) => [workspaceId, facet, value, traceDbId]),
      ),
    },
    ['trace_id'],
  )
}

export async function deleteFacets(tx: Queries, workspaceId: string, { traceDbId, values }: OfTrace): Promise<void> {
  for (const [facet, value] of values) {
    await deleteScoped(tx, 'trace_facets', { workspace_id: workspaceId, facet, value, trace_id: traceDbId }).execute()
  }
}

/** The name of a component that did not exist when the trace was stored. It is no field of the query language. */
export const UNKNOWN_COMPONENT = 'unknown-component'

type Facet =
  | 'kind'
  | 'name'
  | 'model'
  | 'provider'
  | 'tag'
  | 'service'
  | 'environment'
  | 'session'
  | 'user'
  | 'source'
  | 'prompt'
  | typeof UNKNOWN_COMPONENT
export type FacetValue = readonly [facet: Facet, value: string]

type SpanFacets = { kind: string; name: string; model: string | null; provider: string | null }

export function facetsOfSpans(spans: Iterable<SpanFacets>): FacetValue[] {
  const seen = new Map<Facet, Set<string>>()
  const values: FacetValue[] = []
  const add = (facet: Facet, value: string | null) => {
    if (value === null) return
    const known = seen.get(facet) ?? new Set()
    if (known.has(value)) return
    seen.set(facet, known.add(value))
    values.push([facet, cutFacet(value)])
  }
  for (const { kind, name, model, provider } of spans) {
    add('kind', kind)
    add('name', name)
    add('model', model)
    add('provider', provider)
  }
  return values
}

/** Several labels may have served the same version. */
function namesOf(prompts: TraceState['prompts']): Set<string> {
  return new Set(prompts.map(({ name }) => name))
}

type TraceFacets = Pick<
  TraceState,
  'service' | 'environment' | 'sessionId' | 'userId' | 'tags' | 'componentId' | 'links' | 'source' | 'prompts'
>

export function facetsOfTrace(trace: TraceFacets): FacetValue[] {
  const { service, environment, sessionId, userId, tags, componentId, links, source, prompts } = trace
  const values: FacetValue[] = []
  const add = (facet: Facet, value: string | null) => {
    if (value !== null) values.push([facet, cutFacet(value)])
  }
  add('service', service)
  add('environment', environment)
  add('session', sessionId)
  add('user', userId)
  for (const tag of tags) add('tag', tag)
  // Production has no row: nearly all traces are of it, and the column of the trace says the same.
  add('source', source)
  if (prompts.length > 0) for (const name of namesOf(prompts)) add('prompt', name)
  if (componentId === null) add(UNKNOWN_COMPONENT, links.component ?? null)
  return values
}
