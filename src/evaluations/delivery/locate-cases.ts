/** Finds the cases that delivered scores name, by item or by trace. */
import { findItemsByQuestion } from '../../runs/items-by-question.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { type CaseSource, listCasesOfItems, listUnlinkedCases } from '../runner/case-queries.ts'
import { type CaseItem, findCaseItems } from '../runner/split-cases.ts'

/** To match a trace by its input, the input must be read. In runs with more such traces, they are named by trace only. */
const UNLINKED_CASES_MAX = 1_000

/** Exactly one of them is set. */
export type CaseName = { itemId?: string | undefined; traceDbId?: string | undefined }

/** A case without a key may still have planned scores: its item or its link may have been deleted since. */
export type LocatedCase = ({ ref: string } & CaseItem) | { problem: string }

/** In the order of the names. */
export async function locateCases(q: Queries, source: CaseSource, names: readonly CaseName[]): Promise<LocatedCase[]> {
  const refs = await (source.runId === null
    ? names.map(itemRef)
    : runRefs(q, { ...source, runId: source.runId }, names))
  const found = await findCaseItems(q, source, [...new Set(refs.flatMap((ref) => ('ref' in ref ? [ref.ref] : [])))])
  return refs.map((located) => {
    if (!('ref' in located)) return located
    return { ref: located.ref, ...(found.get(located.ref) ?? { itemId: null, key: undefined }) }
  })
}

type Ref = { ref: string } | { problem: string }

function itemRef({ itemId }: CaseName): Ref {
  return itemId === undefined
    ? { problem: 'the evaluation has no run: name the case by itemId' }
    : { ref: itemId.toLowerCase() }
}

async function runRefs(q: Queries, source: CaseSource & { runId: string }, names: readonly CaseName[]): Promise<Ref[]> {
  const traces = await canonicalRefs(
    q,
    source.workspaceId,
    names.map(({ traceDbId = '' }) => traceDbId),
  )
  const itemIds = new Set(names.flatMap(({ itemId }) => (itemId === undefined ? [] : [itemId.toLowerCase()])))
  const refsOf = itemIds.size === 0 ? new Map<string, string[]>() : await casesOfItems(q, source, itemIds)
  return names.map(({ itemId }, index) => {
    if (itemId === undefined) return { ref: traces[index] ?? '' }
    const refs = refsOf.get(itemId.toLowerCase()) ?? []
    const [ref] = refs
    if (ref === undefined) return { problem: 'no case has this item; a case can also be named by traceDbId' }
    return refs.length === 1 ? { ref } : { problem: `${refs.length} cases have this item: name the case by traceDbId` }
  })
}

/** The traces of these items, found as for the scores that the server computes: see `load-cases.ts`. */
async function casesOfItems(
  q: Queries,
  source: CaseSource & { runId: string },
  itemIds: ReadonlySet<string>,
): Promise<Map<string, string[]>> {
  const linked = await listCasesOfItems(q, source, [...itemIds])
  const unlinked = await listUnlinkedCases(q, source, UNLINKED_CASES_MAX + 1)
  const byInput = unlinked.length > UNLINKED_CASES_MAX ? [] : await findItemsByQuestion(q, source, unlinked)
  const refs = new Map<string, string[]>()
  for (const [ref, itemId] of [...linked, ...byInput]) {
    if (itemIds.has(itemId)) refs.set(itemId, [...(refs.get(itemId) ?? []), ref])
  }
  return refs
}
