/**
 * Counts how often a comparison was read with a new result, and warns about it. A user who reads a comparison again and
 * again while items are added, or compares many candidates with one baseline, finds a difference sooner or later even if
 * there is none.
 *
 * A look is a read with a result that was not seen before: reading the same result twice is no second chance. The result
 * depends on the pairs, the traces that arrived, the evaluations, the ratings that the reader sees, the split and the groups.
 * A write is needed only for a new result.
 */
import { createHash } from 'node:crypto'
import { type Clock, timestamp } from '../base/clock.ts'
import type { Db, Queries } from '../storage/db.ts'
import type { Comparison } from './compare-runs.ts'
import { RATING_METRIC } from './pairing/compared-metrics.ts'
import { countLook, findLook, type LookPair, listComparedWith } from './pairing/comparison-queries.ts'

const LOOKS_MIN = 2
const FAMILY_MIN = 3
const FAMILY_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1_000

type ReadComparison = Pick<
  Comparison,
  'pairs' | 'onlyBaseline' | 'onlyCandidate' | 'baseline' | 'candidate' | 'metrics' | 'split' | 'groupBy'
>

export type Looks = { looks: number; warnings: string[] }

/** Records a look if the result changed, and returns the number of looks with the warnings that follow from it. */
export async function recordComparisonLook(
  db: Db,
  clock: Clock,
  { workspaceId, comparison, isSequential }: { workspaceId: string; comparison: ReadComparison; isSequential: boolean },
): Promise<Looks> {
  const look = { workspaceId, ...lookOf(comparison) }
  const looks = await countIfNew(db, clock, look)
  const since = timestamp(clock.now() - FAMILY_DAYS * DAY_MS)
  const compared = new Set([...(await listComparedWith(db.read, { ...look, since })), look.candidateRunId])
  const warnings: string[] = []
  if (looks >= LOOKS_MIN && !isSequential) warnings.push(looksWarning(looks))
  if (compared.size >= FAMILY_MIN) warnings.push(familyWarning(compared.size))
  return { looks, warnings }
}

/** The number of looks, with this one. */
export async function looksWith(q: Queries, look: LookPair & { resultHash: string }): Promise<number> {
  const known = await findLook(q, look)
  if (known?.resultHashes.includes(look.resultHash)) return known.looks
  return (known?.looks ?? 0) + 1
}

async function countIfNew(db: Db, clock: Clock, look: LookPair & { resultHash: string }): Promise<number> {
  const known = await findLook(db.read, look)
  if (known?.resultHashes.includes(look.resultHash)) return known.looks
  try {
    await db.transaction((tx) => countLook(tx, { ...look, now: timestamp(clock.now()) }))
  } catch {
    // A database that takes no writes, such as one whose disk is full, must not stop anyone from reading: the look is not
    // counted, and the next read of this result counts it.
  }
  return (known?.looks ?? 0) + 1
}

/** Identifies the data that a comparison was computed from. */
export function lookOf(comparison: ReadComparison): Omit<LookPair, 'workspaceId'> & { resultHash: string } {
  const { pairs, onlyBaseline, onlyCandidate, baseline, candidate, metrics, split, groupBy } = comparison
  const arrived = metrics.find(({ name }) => name === 'error')?.n ?? null
  const ratings = metrics
    .filter(({ name }) => name === RATING_METRIC)
    .map((one) => [one.n, one.baseline, one.candidate])
  const evaluations = (side: 'baseline' | 'candidate') =>
    [...new Set(metrics.flatMap((one) => one.evaluations?.[side] ?? []))].sort().join()
  const known = [pairs, onlyBaseline, onlyCandidate, arrived, evaluations('baseline'), evaluations('candidate')]
  const result = JSON.stringify([...known, ratings, split, groupBy])
  const resultHash = createHash('sha256').update(result).digest('hex').slice(0, HASH_LENGTH)
  return { baselineRunId: baseline.runId, candidateRunId: candidate.runId, resultHash }
}

const HASH_LENGTH = 24

function looksWarning(looks: number): string {
  return `This comparison was read ${looks} times with different results, because items, scores or ratings were added, or another selection was read: a false difference is more probable than 5 %. Use sequential=true to look repeatedly.`
}

function familyWarning(compared: number): string {
  return `${compared} runs were compared with this baseline in the last ${FAMILY_DAYS} days: the best of them looks better than it is. Compare them in one request (POST), which corrects for their number.`
}
