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
import type { Context } from '../../http/route.ts'
import { lockRun } from '../../runs/run-queries.ts'
import type { Interval } from '../../statistics/interval.ts'
import { intervalOf, pValue } from '../../statistics/paired/p-function.ts'
import { pairedScores } from '../../statistics/paired/paired-means.ts'
import type { Queries } from '../../storage/db.ts'
import { findComparedRuns } from '../compare-runs.ts'
import { powerOfRates } from '../evidence/comparison-power.ts'
import { infer } from '../evidence/infer.ts'
import { WITHHELD_REASON } from '../pairing/compared-metrics.ts'
import { isBlindReader } from '../pairing/pair-runs.ts'
import { drawSide } from '../rows/draw-side.ts'
import { listRowItems } from '../rows/row-text-queries.ts'
import { ITEMS_MIN, SIGNIFICANCE, type Verdict } from '../verdicts/verdict.ts'
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
  /** False if the client showed them the other way round. */
  isSideDrawn: boolean
  updatedAt: string
}

export type SavePreference = ComparedRuns &
  Pick<Preference, 'itemId' | 'better'> & { repetition?: number | undefined; shownLeft?: Side | undefined }

/** Creates or replaces the caller's preference. Without `shownLeft`, the answers were shown as the server draws it. */
export async function savePreference(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { workspaceId, userId }: Principal,
  { itemId, repetition = 1, better, shownLeft, ...runs }: SavePreference,
): Promise<Preference> {
  const updatedAt = timestamp(clock.now())
  const pair = pairOf(workspaceId, runs)
  return db.transaction(async (tx) => {
    const { baseline } = await findComparedRuns(tx, requestOf(workspaceId, runs))
    // In the order of their ids, so that two requests never wait for each other.
    for (const runId of [pair.firstRunId, pair.secondRunId])
      if (!(await lockRun(tx, { workspaceId, componentId: runs.componentId, runId }))) throw notFound('Run')
    const dataset = { workspaceId, datasetId: baseline.datasetId }
    const item = (await listRowItems(tx, dataset, [itemId])).get(itemId)
    if (!item) throw notFound('Item')
    const drawn = drawSide({ ...runs, userId, number: item.number, repetition })
    const shown = { shownLeft: shownLeft ?? drawn, isSideDrawn: shownLeft === undefined || shownLeft === drawn }
    const preference = { itemId, repetition, userId, better, ...shown, updatedAt }
    await upsertPreference(tx, pair, toStored(preference, runs))
    return preference
  })
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
  /** How often each run was on the left, and how many of these sides the server drew. */
  sides: { baselineLeft: number; candidateLeft: number; drawn: number; n: number }
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

const CORRECTED_METHOD = 'share of items, corrected for the position of the answers, 95 % (as scores between −1 and 1)'

async function readResult(q: Queries, pair: RunPair, runs: ComparedRuns): Promise<PreferenceResult> {
  const rows = await countPreferences(q, pair)
  const counts = { candidate: 0, baseline: 0, same: 0 }
  const left = { chosen: 0, n: 0 }
  const byItem = new Map<string, { n: number; votes: number; position: number }>()
  const sides = { baselineLeft: 0, candidateLeft: 0, drawn: 0, n: 0 }
  for (const { itemId, better, shownLeft, isSideDrawn, count } of rows) {
    sides.n += count
    if (isSideDrawn) sides.drawn += count
    sides[sideOf(shownLeft, runs) === 'candidate' ? 'candidateLeft' : 'baselineLeft'] += count
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
  const items = [...byItem.values()].map(({ n, votes, position }) => ({ vote: votes / n, position: position / n }))
  const judged = judgeItems(items, sides.drawn === sides.n ? 'drawn' : 'chosen')
  const numbers = { items: byItem.size, ...counts, ...judged, preferences: sides.n, raters, left, sides }
  return { ...numbers, summary: summaryOf(numbers) }
}

/** If one side was on the left more often than this, the position may explain every preference. */
const LEFT_MAX = 0.9

/** Of an item the preference for the candidate and how often it was on the left, both between −1 and 1. */
type JudgedItem = { vote: number; position: number }

function judgeItems(items: readonly JudgedItem[], sides: 'drawn' | 'chosen') {
  const n = items.length
  const estimate = sides === 'drawn' ? estimateDrawn : estimateCorrected
  if (n === 0) return { share: null, ci: null, p: null, verdict: 'tooFewCases' as const, method: 'none: no items' }
  if ((1 + Math.abs(meanOf(items, ({ position }) => position))) / 2 > LEFT_MAX) {
    const verdict = n < ITEMS_MIN ? ('tooFewCases' as const) : null
    const share = (1 + meanOf(items, ({ vote }) => vote)) / 2
    return { share, ci: null, p: null, verdict, method: 'none: one run was nearly always on the left' }
  }
  const { gain, interval, p, method } = estimate(items)
  const [low, high] = interval
  const ci: Interval = [Math.max(0, (1 + low) / 2), Math.min(1, (1 + high) / 2)]
  const verdict: Verdict =
    n < ITEMS_MIN ? 'tooFewCases' : low > 0 ? 'improved' : high < 0 ? 'regressed' : 'noClearDifference'
  return { share: (1 + gain) / 2, ci, p, verdict, method }
}

type Preferred = { gain: number; interval: Interval; p: number; method: string }

/** Which run is on the left is random: people who always choose the left answer prefer each run in half of the items. */
function estimateDrawn(items: readonly JudgedItem[]): Preferred {
  const values = Float64Array.from(items, ({ vote }) => vote)
  const isYesNo = values.every(Number.isInteger)
  const { gain, p, ...found } = infer(
    { values },
    isYesNo ? { kind: 'yes/no' } : { kind: 'scores', range: 1, isRate: true },
  )
  const interval = found.interval(SIGNIFICANCE) ?? [-1, 1]
  return { gain, interval, p, method: `share of items on sides drawn by the server, 95 %, ${found.intervalMethod}` }
}

/** What the position explains is subtracted: people who always choose the left answer prefer neither. */
function estimateCorrected(items: readonly JudgedItem[]): Preferred {
  const center = meanOf(items, ({ position }) => position)
  const spread = meanOf(items, ({ position }) => (position - center) ** 2)
  const slope = spread === 0 ? 0 : meanOf(items, ({ vote, position }) => vote * (position - center)) / spread
  const adjusted = Float64Array.from(items, ({ vote, position }) => vote - slope * position)
  const { sensitive } = pairedScores({ values: adjusted }, { range: 1 + Math.abs(slope), canBreak: false })
  return { gain: sensitive.estimate, interval: intervalOf(sensitive), p: pValue(sensitive), method: CORRECTED_METHOD }
}

function meanOf(items: readonly JudgedItem[], read: (item: JudgedItem) => number): number {
  return items.reduce((sum, item) => sum + read(item), 0) / items.length
}

function summaryOf(result: Omit<PreferenceResult, 'summary'>): string {
  const { share, ci, candidate, same, items, verdict, left } = result
  if (share === null) return 'No preference yet: compare answers of both runs without their names.'
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
  const { casesFor } = powerOfRates({ items, differing: items - same })
  const hint =
    verdict === 'noClearDifference' && casesFor
      ? `; about ${casesFor.cases} items would show a share of ${((1 + casesFor.difference) / 2).toFixed(2)}`
      : ''
  return `${words[verdict]}: ${chosen} (share ${share.toFixed(2)}${range})${hint}.`
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
