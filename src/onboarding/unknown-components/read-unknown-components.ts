import { findComponentIdsByName } from '../../components/component-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { foldText } from '../../storage/dialect.ts'
import { listFacetValues } from '../../trace-lists/facet-value-queries.ts'
import { FACET_LENGTH_MAX } from '../../traces/storing/cut-facet.ts'
import { UNKNOWN_COMPONENT } from '../../traces/storing/facet-queries.ts'
import { countWaitingTraces } from './unknown-component-queries.ts'

/** A sender may put anything into names. */
const NAMES_MAX = 200
const SHOWN_MAX = 20
const COUNTED_MAX = 10_000

/** The names of components that traces without one ask for, most frequent first. Names that differ only in case are one. */
export async function readUnknownComponents(q: Queries, workspaceId: string) {
  const spellings = [...Map.groupBy(await listWaitingNames(q, workspaceId), foldText).values()].slice(0, SHOWN_MAX)
  const found: { name: string; traceCount: number }[] = []
  for (const names of spellings) {
    const traceCount = await countWaitingTraces(q, { workspaceId, names }, COUNTED_MAX)
    if (traceCount > 0) found.push({ name: names[0] ?? '', traceCount })
  }
  const named = found.map(({ name }) => name)
  const ids = named.length === 0 ? new Map() : await findComponentIdsByName(q, workspaceId, named)
  return found
    .map(({ name, traceCount }) => ({ name, traceCount, componentId: ids.get(name) ?? null }))
    .sort((a, b) => b.traceCount - a.traceCount)
}

/** The spellings of a name among the waiting traces. */
export async function findSpellings(q: Queries, workspaceId: string, name: string): Promise<string[]> {
  const folded = foldText(name)
  const others = (await listWaitingNames(q, workspaceId)).filter((waiting) => foldText(waiting) === folded)
  return [...new Set([name, ...others])]
}

/** Names that were cut when they were stored are excluded: no component could get them. */
async function listWaitingNames(q: Queries, workspaceId: string): Promise<string[]> {
  const facet = { workspaceId, facet: UNKNOWN_COMPONENT }
  const names = await listFacetValues(q, facet, { from: '', limit: NAMES_MAX })
  return names.filter((name) => name !== '' && name.length < FACET_LENGTH_MAX)
}
