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
import { comparisonSubject, openTestSet } from '../datasets/splits/test-openings.ts'
import type { Context } from '../http/route.ts'
import type { DeclaredPlan } from '../scores/stored-config.ts'
import type { Db, Queries } from '../storage/db.ts'
import { RATING_METRIC } from './pairing/compared-metrics.ts'
import {
  countItems,
  countLook,
  findLook,
  type LookPair,
  listComparedWith,
  type NewLook,
} from './pairing/comparison-queries.ts'
import {
  type LookResult,
  type LookRule,
  lookText,
  plannedLook,
  planText,
  readPlan,
  repeatedLooks,
  withoutPlan,
} from './verdicts/look-rule.ts'
import type { MeasuredMetric } from './verdicts/metric-verdicts.ts'

const LOOKS_MIN = 2
const FAMILY_MIN = 3
const FAMILY_DAYS = 30
const DAY_MS = 24 * 60 * 60 * 1_000

/** A result of two runs before it is recorded, with what follows from the looks before it. */
export type Look = NewLook & { isNew: boolean; looks: number; warnings: string[] }

type LookQuery = LookPair & {
  result: LookResult
  /** The plan of the candidate's evaluation. It counts if this is the first look. */
  declared: DeclaredPlan | undefined
  datasetId: string
  isSequential: boolean
}

/** Which rule decides this result, by the looks so far. */
export async function findLookRule(q: Queries, query: LookQuery): Promise<{ look: Look; rule: LookRule }> {
  const { workspaceId, baselineRunId, candidateRunId, result, declared, isSequential } = query
  const known = await findLook(q, query)
  const isNew = !known?.resultHashes.includes(result.hash)
  const looks = (known?.looks ?? 0) + Number(isNew)
  const plan = known ? known.planned : await declaredPlan(q, query)
  const planned = plan === null ? undefined : plannedLook(plan, result)
  const rule =
    planned && !isSequential ? planned : withoutPlan(isSequential ? 'sequential' : 'single', { ...result, looks })
  const late = declared && known && !isSequential ? planWarnings(declared, plan) : []
  const repeated = rule.looking.rule === 'single' && looks >= LOOKS_MIN ? [repeatedLooks(looks)] : []
  const look = {
    ...{ workspaceId, baselineRunId, candidateRunId, resultHash: result.hash, plan },
    ...{ plannedLook: planned?.isPlanned ? lookText(result) : '', isNew, looks },
    warnings: [...late, ...rule.warnings, ...repeated],
  }
  return { look, rule }
}

async function declaredPlan(q: Queries, { declared, workspaceId, datasetId }: LookQuery): Promise<string | null> {
  if (!declared) return null
  const { looks, split, items = await countItems(q, { workspaceId, datasetId, split }) } = declared
  return planText({ looks, items: Math.max(1, items) })
}

export type Looks = { looks: number; warnings: string[] }

/** Records a look if the result is new, and returns the number of looks with the warnings that follow from it. */
export async function recordComparisonLook(db: Db, clock: Clock, look: Look): Promise<Looks> {
  if (look.isNew) {
    try {
      await db.transaction((tx) => countLook(tx, { ...look, now: timestamp(clock.now()) }))
    } catch {
      // A database that takes no writes, such as one whose disk is full, must not stop anyone from reading: the look is not
      // counted, and the next read of this result counts it.
    }
  }
  const since = timestamp(clock.now() - FAMILY_DAYS * DAY_MS)
  const compared = new Set([...(await listComparedWith(db.read, { ...look, since })), look.candidateRunId])
  const warnings = compared.size >= FAMILY_MIN ? [...look.warnings, familyWarning(compared.size)] : look.warnings
  return { looks: look.looks, warnings }
}

type ReadComparison = {
  pairs: number
  onlyBaseline: number
  onlyCandidate: number
  measuredMetrics: readonly MeasuredMetric[]
  split: string | undefined
  groupBy: string | null
}

/** Identifies the data that a comparison was computed from. */
export function resultHashOf(comparison: ReadComparison): string {
  const { pairs, onlyBaseline, onlyCandidate, measuredMetrics, split = null, groupBy } = comparison
  const find = (name: string) => measuredMetrics.find(({ metric }) => metric.name === name)
  const arrived = find('error')?.evidence.items ?? null
  const rating = find(RATING_METRIC)
  // Of each item, because ratings that are rewritten may have the same mean.
  const ratings = rating ? [[rating.evidence.baseline, rating.evidence.candidate, [...rating.measured.gains]]] : []
  const evaluations = (side: 'baseline' | 'candidate') =>
    [...new Set(measuredMetrics.flatMap(({ metric }) => metric.evaluations?.[side] ?? []))].sort().join()
  const known = [pairs, onlyBaseline, onlyCandidate, arrived, evaluations('baseline'), evaluations('candidate')]
  const groups = measuredMetrics.flatMap(({ evidence: { groups: n, designEffect } }) => (n ? [n, designEffect] : []))
  const result = JSON.stringify([...known, ratings, split, groupBy, ...groups])
  return createHash('sha256').update(result).digest('hex').slice(0, HASH_LENGTH)
}

const HASH_LENGTH = 24

function planWarnings({ looks, items }: DeclaredPlan, stored: string | null): string[] {
  const plan = stored === null ? undefined : readPlan(stored).plan
  if (plan && plan.looks === looks && (items === undefined || plan.items === items)) return []
  const wanted = `The plan of ${looks} looks${items === undefined ? '' : ` at ${items} items`}`
  const stays = plan
    ? `that of the first look stays, ${plan.looks} looks at ${plan.items} items`
    : 'there was none then'
  return [`${wanted} was made after the first look and has no effect: ${stays}.`]
}

function familyWarning(compared: number): string {
  return `${compared} runs were compared with this baseline in the last ${FAMILY_DAYS} days: the best of them looks better than it is. Compare them in one request (POST), which corrects for their number.`
}

type ComparedSide = { runId: string; evaluationId: string | null }

/** Records that items of the test split were compared. Null if there were none. */
export async function openTestSetOf(
  context: Pick<Context, 'db' | 'clock'>,
  {
    workspaceId,
    dataset,
    baseline,
    candidate,
  }: { workspaceId: string; dataset: { id: string; readsTest: boolean } } & Record<
    'baseline' | 'candidate',
    ComparedSide
  >,
) {
  if (!dataset.readsTest) return null
  const subject = await comparisonSubject(context.db.read, workspaceId, [baseline, candidate])
  return openTestSet(context, { workspaceId, datasetId: dataset.id, subject })
}
