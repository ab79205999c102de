/**
 * Which items of the dataset are compared: those of the split that are the same in both evaluations. A comparison of answers
 * that were judged against different expected answers says nothing about the change, and one that lacks the items that the
 * runs lost is not a comparison of the runs.
 */
import { findItemIds } from '../../datasets/items/item-queries.ts'
import { SPLITS, type Split } from '../../datasets/splits/split.ts'
import { readItemIds } from '../../datasets/splits/test-openings.ts'
import type { Queries } from '../../storage/db.ts'
import type { Metric } from './compared-metrics.ts'
import type { ComparedRun } from './comparison-queries.ts'
import type { RunCase } from './pair-items.ts'
import type { RunData } from './read-run-data.ts'

export type ItemChanges = {
  /** Items that were edited between the two evaluations: their question, expected answer, split or group. They are not compared. */
  readonly changed: readonly string[]
  /** Items that the baseline was evaluated on and that were deleted before the candidate was. */
  readonly removed: readonly string[]
  /** Items of one run that are newer than the evaluation of the other. Nothing of them is missing there. */
  readonly added: readonly string[]
  /** Compared items of which it is not known whether they changed, because an evaluation is of an older version. */
  readonly unverified: number
}

type Judged = Pick<RunData, 'itemHashes' | 'evaluationId'>
type Cases = { baseline: readonly RunCase[]; candidate: readonly RunCase[] }

type SelectedCases = Cases & {
  readonly readsTest: boolean
  /** Items without a trace in either run that count as unanswered. */
  readonly untried: readonly string[]
  /** Says which part of the dataset the runs tried, if it is a sample. */
  readonly coverage: string | null
}

type Selection = {
  workspaceId: string
  runs: { baseline: ComparedRun; candidate: ComparedRun }
  split: Split | undefined
  /** By item that counts as an earlier one: that item. */
  sameAs: ReadonlyMap<string, string>
}

/**
 * The cases whose item belongs to the split, or all without a split; a case without an item belongs to no split.
 *
 * Items that neither run tried are missing where the runs tried at least half of their split (or of the items without one):
 * a run that lost every third question must not pass by what is left. Of a smaller share the runs are a sample, and a split
 * that they did not touch is not theirs: nothing is missing then, and the summary names the sample.
 */
export async function selectCases(
  q: Queries,
  { workspaceId, runs, split, sameAs }: Selection,
  sides: Cases,
): Promise<SelectedCases> {
  const parts = await readParts(q, { workspaceId, datasetId: runs.baseline.datasetId, split })
  const isIn = (part: Split) => (one: RunCase) => parts.get(part)?.has(one.itemId ?? '') === true
  const select = (cases: readonly RunCase[]) => (split === undefined ? cases : cases.filter(isIn(split)))
  const selected = { baseline: select(sides.baseline), candidate: select(sides.candidate) }
  const cases = [...selected.baseline, ...selected.candidate]
  const itemOf = (itemId: string) => sameAs.get(itemId) ?? itemId
  const tried = new Set(cases.map(({ itemId }) => itemOf(itemId ?? '')))
  // Ids are in the order of creation: what was added after a run is not missing in it.
  const [firstRun = ''] = [runs.baseline.runId, runs.candidate.runId].sort()
  const untried: string[] = []
  const sample = { tried: 0, items: 0 }
  for (const part of parts.values()) {
    const items = new Set([...part].filter((itemId) => itemId < firstRun).map(itemOf))
    const missing = [...items].filter((itemId) => !tried.has(itemId))
    if (2 * missing.length <= items.size) untried.push(...missing)
    else if (missing.length < items.size) {
      sample.items += items.size
      sample.tried += items.size - missing.length
    }
  }
  const coverage = `The runs tried ${sample.tried} of ${sample.items} items of the dataset.`
  return { ...selected, readsTest: cases.some(isIn('test')), untried, coverage: sample.items === 0 ? null : coverage }
}

/** The sentence on the sample in a stored summary. */
export const COVERAGE = /\bThe runs tried \d+ of \d+ items of the dataset\./

/** The items of the split, or those of each split and those without one. */
async function readParts(
  q: Queries,
  { split, ...dataset }: { workspaceId: string; datasetId: string; split: Split | undefined },
): Promise<ReadonlyMap<Split | null, ReadonlySet<string>>> {
  const parts = new Map<Split | null, ReadonlySet<string>>()
  for (const one of split === undefined ? SPLITS : [split])
    parts.set(one, await readItemIds(q, { ...dataset, split: one }))
  if (split !== undefined) return parts
  const others = new Set(await readItemIds(q, dataset))
  for (const items of parts.values()) for (const itemId of items) others.delete(itemId)
  return parts.set(null, others)
}

type Compared = {
  sides: { baseline: Judged; candidate: Judged }
  cases: Cases
  metrics: readonly Pick<Metric, 'evaluations'>[]
  sameAs: ReadonlyMap<string, string>
}

/** An item has changed if the two evaluations of a compared metric judged different content of it. */
export async function findItemChanges(
  q: Queries,
  dataset: { workspaceId: string; datasetId: string },
  { sides, cases, metrics, sameAs }: Compared,
): Promise<ItemChanges> {
  const [before, after] = [itemsIn(cases.baseline), itemsIn(cases.candidate)]
  const hashes = comparedHashes(sides, metrics)
  const changed: string[] = []
  let unverified = 0
  for (const itemId of before) {
    if (!after.has(itemId)) continue
    const contents = hashes.map(({ one, other }) => ({ one: one.get(itemId), other: other.get(itemId) }))
    const known = contents.filter(({ one, other }) => one !== undefined && other !== undefined)
    if (known.some(({ one = '', other = '' }) => !isSameItem(one, other))) changed.push(itemId)
    else if (known.length < contents.length) unverified += 1
  }
  const onlyBefore = [...before].filter((itemId) => !after.has(itemId))
  const existing = await findItemIds(q, dataset, onlyBefore)
  const removed = onlyBefore.filter((itemId) => !existing.has(itemId))
  const has = (items: ReadonlySet<string>) => (itemId: string) =>
    items.has(itemId) || items.has(sameAs.get(itemId) ?? '')
  const added = [
    ...newerThan(sides.baseline, [...after]).filter((itemId) => !has(before)(itemId)),
    ...newerThan(sides.candidate, onlyBefore).filter((itemId) => existing.has(itemId) && !has(after)(itemId)),
  ]
  return { changed: changed.sort(), removed: removed.sort(), added: added.sort(), unverified }
}

/** Ids are in the order of creation. Without an evaluation, the traces of the run are all that is compared. */
function newerThan({ evaluationId }: Judged, itemIds: readonly string[]): string[] {
  return evaluationId === null ? [] : itemIds.filter((itemId) => itemId > evaluationId)
}

/** By item, of both evaluations of each metric. If no evaluator is compared, of the newest evaluations. */
function comparedHashes({ baseline, candidate }: Compared['sides'], metrics: Compared['metrics']) {
  const compared = metrics.flatMap(({ evaluations }) => evaluations ?? [])
  const newest = { baseline: baseline.evaluationId, candidate: candidate.evaluationId }
  const pairs = new Map(
    (compared.length > 0 ? compared : [newest]).map((two) => [`${two.baseline} ${two.candidate}`, two]),
  )
  return [...pairs.values()].flatMap((two) => {
    const [one, other] = [baseline.itemHashes.get(two.baseline ?? ''), candidate.itemHashes.get(two.candidate ?? '')]
    return one && other ? [{ one, other }] : []
  })
}

/** Groups count only if both evaluations used the same field: to group by another one changes no item. */
export function isSameItem(one: string, other: string): boolean {
  const [content, field, group] = one.split('.')
  const [otherContent, otherField, otherGroup] = other.split('.')
  return content === otherContent && (field !== otherField || group === otherGroup)
}

function itemsIn(cases: readonly RunCase[]): Set<string> {
  return new Set(cases.flatMap(({ itemId }) => itemId ?? []))
}

/** Without the traces of items that are not the same: they belong to no item of this comparison. */
export function withoutChanged<Side extends Cases>(cases: Side, { changed, removed, added }: ItemChanges): Side {
  const left = new Set([...changed, ...removed, ...added])
  if (left.size === 0) return cases
  const keep = (one: RunCase) => (one.itemId !== null && left.has(one.itemId) ? { ...one, itemId: null } : one)
  return { ...cases, baseline: cases.baseline.map(keep), candidate: cases.candidate.map(keep) }
}

/** `20 items were edited, 8 deleted and 3 added between the two evaluations`, or null. */
export function changesSummary({ changed, removed, added }: ItemChanges): string | null {
  const counts = [`${changed.length} edited`, `${removed.length} deleted`, `${added.length} added`]
  const parts = counts.filter((part) => !part.startsWith('0 '))
  const [first] = parts
  if (first === undefined) return null
  parts[0] = first.replace(' ', first.startsWith('1 ') ? ' item was ' : ' items were ')
  return `${parts.join(', ').replace(/, (?=[^,]*$)/, ' and ')} between the two evaluations`
}
