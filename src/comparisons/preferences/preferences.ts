/**
 * Which of two answers people prefer, without knowing which run gave it. See docs/decisions/0042-count-preferences-by-item.md.
 *
 * A preference belongs to two runs, in whichever order they are compared: it is stored for the runs in the order of
 * their ids, and read for the order of the request.
 */
import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Page } from '../../base/page.ts'
import type { Principal } from '../../base/principal.ts'
import { findItemIds } from '../../datasets/items/item-queries.ts'
import type { Context } from '../../http/route.ts'
import { lockRun } from '../../runs/run-queries.ts'
import type { Interval } from '../../statistics/interval.ts'
import { intervalOf, pValue } from '../../statistics/paired/p-function.ts'
import { pairedScores } from '../../statistics/paired/paired-means.ts'
import type { Queries } from '../../storage/db.ts'
import { findComparedRuns, isBlindReader } from '../compare-runs.ts'
import { WITHHELD_REASON } from '../pairing/compared-metrics.ts'
import { ITEMS_MIN, type Verdict } from '../verdicts/verdict.ts'
import {
  countPreferenceRaters,
  countPreferences,
  listPreferences,
  type RunPair,
  type StoredPreference,
  upsertPreference,
} from './preference-queries.ts'

type Side = 'baseline' | 'candidate'

type ComparedRuns = { componentId: string; baseline: string; candidate: string }

export type Preference = {
  itemId: string
  repetition: number
  userId: string
  better: Side | 'same'
  shownLeft: Side
  updatedAt: string
}

export type SavePreference = ComparedRuns &
  Omit<Preference, 'userId' | 'updatedAt' | 'repetition'> & {
    repetition?: number | undefined
  }

/** Creates or replaces the caller's preference. */
export async function savePreference(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { workspaceId, userId }: Principal,
  { itemId, repetition = 1, better, shownLeft, ...runs }: SavePreference,
): Promise<Preference> {
  const updatedAt = timestamp(clock.now())
  const preference = { itemId: itemId, repetition, userId, better, shownLeft, updatedAt }
  const pair = pairOf(workspaceId, runs)
  await db.transaction(async (tx) => {
    const { baseline } = await findComparedRuns(tx, requestOf(workspaceId, runs))
    // In the order of their ids, so that two requests never wait for each other.
    for (const runId of [pair.firstRunId, pair.secondRunId])
      if (!(await lockRun(tx, { workspaceId, componentId: runs.componentId, runId }))) throw notFound('Run')
    const dataset = { workspaceId, datasetId: baseline.datasetId }
    if (!(await findItemIds(tx, dataset, [preference.itemId])).has(preference.itemId)) throw notFound('Item')
    await upsertPreference(tx, pair, toStored(preference, runs))
  })
  return preference
}

export type PreferenceResult = {
  /** Items with at least one preference, by what most of their preferences say. */
  items: number
  candidate: number
  baseline: number
  /** Items without a majority, or whose majority found both the same. */
  same: number
  /** The share of the candidate: an item counts 1, 0, or in between if its raters differ; without a preference ½. Null without items. */
  share: number | null
  ci: Interval | null
  p: number | null
  /** `improved` if the candidate is preferred. Null if the position of the answers may explain it. */
  verdict: Verdict | null
  method: string
  preferences: number
  raters: number
  /** Of the preferences for one side, how many chose the left one: far from half of them, the position decided. */
  left: { chosen: number; n: number }
  summary: string
}

/** `result` is null if the reader must rate one of the runs blindly; `data` then has only the reader's own preferences. */
export async function readPreferences(
  q: Queries,
  { workspaceId, userId }: Principal,
  { isMine, page, ...runs }: ComparedRuns & { isMine: boolean; page: Page },
) {
  const request = { ...requestOf(workspaceId, runs), readerId: userId }
  await findComparedRuns(q, request)
  const isWithheld = await isBlindReader(q, request)
  const pair = pairOf(workspaceId, runs)
  const { rows, ...extent } = await listPreferences(q, pair, { ...page, ...((isMine || isWithheld) && { userId }) })
  return {
    result: isWithheld ? null : await readResult(q, pair, runs),
    withheld: isWithheld ? WITHHELD_REASON : null,
    data: rows.map((row) => toPreference(row, runs)),
    extent,
  }
}

const METHOD = 'share of items, corrected for the position of the answers, 95 % (as scores between −1 and 1)'

async function readResult(q: Queries, pair: RunPair, runs: ComparedRuns): Promise<PreferenceResult> {
  const rows = await countPreferences(q, pair)
  const counts = { candidate: 0, baseline: 0, same: 0 }
  const left = { chosen: 0, n: 0 }
  const byItem = new Map<string, { n: number; votes: number; position: number }>()
  let preferences = 0
  for (const { itemId, better, shownLeft, count } of rows) {
    preferences += count
    const side = sideOf(better, runs)
    const item = byItem.get(itemId) ?? { n: 0, votes: 0, position: 0 }
    byItem.set(itemId, item)
    item.n += count
    item.votes += side === 'same' ? 0 : side === 'candidate' ? count : -count
    item.position += sideOf(shownLeft, runs) === 'candidate' ? count : -count
    if (better === 'same') continue
    left.n += count
    if (better === shownLeft) left.chosen += count
  }
  for (const { votes } of byItem.values()) counts[votes > 0 ? 'candidate' : votes < 0 ? 'baseline' : 'same'] += 1
  const raters = await countPreferenceRaters(q, pair)
  const judged = judgeItems([...byItem.values()].map(({ n, votes, position }) => [votes / n, position / n]))
  const numbers = { items: byItem.size, ...counts, ...judged, method: METHOD, preferences, raters, left }
  return { ...numbers, summary: summaryOf(numbers) }
}

/** If one side was on the left more often than this, the position may explain every preference. */
const LEFT_MAX = 0.9

/**
 * Of each item the preference for the candidate and how often it was on the left, both between −1 and 1. What the position
 * explains is subtracted: people who always choose the left answer prefer neither.
 */
function judgeItems(items: readonly (readonly [vote: number, position: number])[]) {
  const n = items.length
  if (n === 0) return { share: null, ci: null, p: null, verdict: 'tooFewCases' as const }
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / n
  const [votes, positions] = [items.map(([vote]) => vote), items.map(([, position]) => position)]
  const plain = (1 + meanOf(votes)) / 2
  const center = meanOf(positions)
  if ((1 + Math.abs(center)) / 2 > LEFT_MAX) {
    return { share: plain, ci: null, p: null, verdict: n < ITEMS_MIN ? ('tooFewCases' as const) : null }
  }
  const spread = meanOf(positions.map((position) => (position - center) ** 2))
  const shared = meanOf(items.map(([vote, position]) => vote * (position - center)))
  const slope = spread === 0 ? 0 : shared / spread
  const adjusted = Float64Array.from(items, ([vote, position]) => vote - slope * position)
  const { sensitive } = pairedScores({ values: adjusted }, { range: 1 + Math.abs(slope), canBreak: false })
  const [low, high] = intervalOf(sensitive)
  const p = pValue(sensitive)
  const ci: Interval = [Math.max(0, (1 + low) / 2), Math.min(1, (1 + high) / 2)]
  const verdict: Verdict =
    n < ITEMS_MIN ? 'tooFewCases' : low > 0 ? 'improved' : high < 0 ? 'regressed' : 'noClearDifference'
  return { share: (1 + sensitive.estimate) / 2, ci, p, verdict }
}

function summaryOf(result: Omit<PreferenceResult, 'summary'>): string {
  const { share, ci, candidate, same, items, verdict, left } = result
  if (share === null) return 'No preference yet.'
  const alike = same === 0 ? '' : `, ${same} without a preference`
  const counted = `${items} ${items === 1 ? 'item' : 'items'}${alike}`
  const chosen = `the candidate in ${candidate} of ${counted}`
  if (verdict === null)
    return `No verdict: one run was nearly always shown on the left, so that its position may explain the preferences (${chosen}; the left answer was chosen in ${left.chosen} of ${left.n}).`
  if (verdict === 'tooFewCases')
    return `Too few items to decide: ${chosen}, and at least ${ITEMS_MIN} items are needed.`
  const words = {
    improved: 'The candidate is preferred',
    regressed: 'The baseline is preferred',
    equivalent: 'No clear preference',
    noClearDifference: 'No clear preference',
  }
  const range = ci === null ? '' : `, 95 % CI ${ci[0].toFixed(2)} to ${ci[1].toFixed(2)}`
  return `${words[verdict]}: ${chosen} (share ${share.toFixed(2)}${range}).`
}

function requestOf(workspaceId: string, { componentId, baseline, candidate }: ComparedRuns) {
  return { workspaceId, componentId, baselineRunId: baseline, candidateRunId: candidate }
}

function pairOf(workspaceId: string, runs: ComparedRuns): RunPair {
  const [firstRunId = '', secondRunId = ''] = [runs.baseline, runs.candidate].sort()
  return { workspaceId, firstRunId, secondRunId }
}

function isInOrder({ baseline, candidate }: ComparedRuns): boolean {
  return baseline < candidate
}

function sideOf(stored: StoredPreference['better'], runs: ComparedRuns): Preference['better'] {
  if (stored === 'same') return 'same'
  return (stored === 'first') === isInOrder(runs) ? 'baseline' : 'candidate'
}

function storedSide(side: Side, runs: ComparedRuns): 'first' | 'second' {
  return (side === 'baseline') === isInOrder(runs) ? 'first' : 'second'
}

function toStored({ better, shownLeft, ...rest }: Preference, runs: ComparedRuns): StoredPreference {
  return {
    ...rest,
    better: better === 'same' ? 'same' : storedSide(better, runs),
    shownLeft: storedSide(shownLeft, runs),
  }
}

function toPreference({ better, shownLeft, ...rest }: StoredPreference, runs: ComparedRuns): Preference {
  const left = sideOf(shownLeft, runs)
  return { ...rest, better: sideOf(better, runs), shownLeft: left === 'baseline' ? 'baseline' : 'candidate' }
}
