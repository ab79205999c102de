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
import { wilsonInterval } from '../../statistics/rate-intervals.ts'
import type { Queries } from '../../storage/db.ts'
import { findComparedRuns, isBlindReader } from '../compare-runs.ts'
import { WITHHELD_REASON } from '../pairing/compared-metrics.ts'
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
  /** Of the items that were decided, those for the candidate. Null if there are none. */
  share: number | null
  ci: Interval | null
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

const METHOD = 'Wilson interval of the share of items'

async function readResult(q: Queries, pair: RunPair, runs: ComparedRuns): Promise<PreferenceResult> {
  const rows = await countPreferences(q, pair)
  const counts = { candidate: 0, baseline: 0, same: 0 }
  const left = { chosen: 0, n: 0 }
  const byItem = new Map<string, number>()
  let preferences = 0
  for (const { itemId, better, shownLeft, count } of rows) {
    preferences += count
    const side = sideOf(better, runs)
    const vote = side === 'same' ? 0 : side === 'candidate' ? count : -count
    byItem.set(itemId, (byItem.get(itemId) ?? 0) + vote)
    if (better === 'same') continue
    left.n += count
    if (better === shownLeft) left.chosen += count
  }
  for (const votes of byItem.values()) counts[votes > 0 ? 'candidate' : votes < 0 ? 'baseline' : 'same'] += 1
  const decided = counts.candidate + counts.baseline
  const ci = wilsonInterval({ successes: counts.candidate, n: decided }) ?? null
  const share = decided === 0 ? null : counts.candidate / decided
  const raters = await countPreferenceRaters(q, pair)
  const numbers = { items: byItem.size, ...counts, share, ci, method: METHOD, preferences, raters, left }
  return { ...numbers, summary: summaryOf(numbers) }
}

function summaryOf({ share, ci, candidate, baseline, same }: Omit<PreferenceResult, 'summary'>): string {
  const alike = same === 0 ? '' : `, ${same} without a preference`
  if (share === null || ci === null) return same === 0 ? 'No preference yet.' : `No item was decided${alike}.`
  const [low, high] = ci
  const n = candidate + baseline
  const range = `95 % CI ${low.toFixed(2)} to ${high.toFixed(2)}, ${n} ${n === 1 ? 'item' : 'items'}${alike}`
  const verdict =
    low > 0.5 ? 'The candidate is preferred' : high < 0.5 ? 'The baseline is preferred' : 'No clear preference'
  return `${verdict}: the candidate in ${candidate} of ${n} decided items (share ${share.toFixed(2)}, ${range}).`
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
