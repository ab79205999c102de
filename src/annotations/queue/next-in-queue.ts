import { timestamp } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import { findRun, lockRun } from '../../runs/run-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import {
  type AnnotationPolicy,
  type DisplayedScheme,
  type RunScope,
  readAnnotationPolicy,
  readRatingScheme,
  withKeys,
} from '../rating-rule-queries.ts'
import { type Assignment, assignTraces, type QueueMode } from './assign-traces.ts'
import { describeCalibration, drawByVerdict, readLabelState } from './calibration-draws.ts'
import { type Draw, saveDraws } from './draw-queries.ts'
import { findJudge } from './find-judge.ts'
import type { Rater } from './lease-queries.ts'
import { listOwnComments } from './queue-item-queries.ts'
import { countFullyRated, countNotArrived, countOwnRatings, type QueueRequest } from './queue-queries.ts'
import { drawAtRandom } from './random-draws.ts'
import { readBothMetadata, readTracesWithTexts } from './read-queue-items.ts'
import { listSkipped } from './skip-queries.ts'
import { findRunPool, findVerdictPool } from './trace-pools.ts'

type QueueServices = Pick<Context, 'db' | 'clock'>
type QueueOptions = {
  componentId: string
  runId: string
  skip: readonly string[]
  mode: QueueMode
  order: QueueOrder
  /** For the order `calibration`. */
  evaluator?: string | undefined
  precision?: number | undefined
}

type QueueOrder = 'random' | 'information' | 'calibration'

const PRECISION_DEFAULT = 0.05
const NO_POOL = { count: 0, refs: [] }

/**
 * Returns the next trace that the caller has not rated. If the run limits the raters per trace, the trace is leased to
 * the caller for some minutes: repeated requests return the same trace until it is rated or skipped.
 */
export async function nextInQueue({ db, clock }: QueueServices, by: Principal, options: QueueOptions) {
  const queue = await readQueue({ db, clock }, by, { ...options, limit: 1, first: undefined })
  const [assignment] = queue.assignments
  const [entry] = await readItems(db, queue)
  const item = entry && { ...entry.summary, ...entry.texts, comment: entry.comment }
  return {
    item: item ?? null,
    ...(await stateOf(db, queue, item === undefined ? 0 : 1)),
    order: queue.order,
    leaseUntil: (item && assignment?.leaseUntil) ?? null,
    blind: queue.policy.blind,
    ratings: choicesOf(queue.policy, queue.scheme).map(({ value, label }) => ({ value, label })),
    ...queue.calibrated,
  }
}

type Inclusion = 'texts' | 'metadata'
type BatchOptions = QueueOptions & { limit: number; first: string | undefined; include: readonly Inclusion[] }

/** The same for several traces, with what the caller asks for. All of them are leased. */
export async function nextBatch({ db, clock }: QueueServices, by: Principal, options: BatchOptions) {
  const queue = await readQueue({ db, clock }, by, options)
  const entries = await readItems(db, queue)
  const items: unknown[] = []
  for (const { summary, texts, comment, leaseUntil, item } of entries) {
    const trace = { traceDbId: summary.traceDbId, item }
    items.push({
      ...summary,
      comment,
      leaseUntil,
      ...(options.include.includes('texts') ? texts : {}),
      ...(options.include.includes('metadata') ? await readBothMetadata(db.read, by.workspaceId, trace) : {}),
    })
  }
  return {
    items,
    ...(await stateOf(db, queue, items.length)),
    skipped: queue.last.length,
    order: queue.order,
    blind: queue.policy.blind,
    ratings: choicesOf(queue.policy, queue.scheme),
    ...queue.calibrated,
  }
}

type Queue = Awaited<ReturnType<typeof readQueue>>

async function readQueue(
  { db, clock }: QueueServices,
  by: Principal,
  { componentId, runId, skip, mode, limit, first, ...wanted }: Omit<BatchOptions, 'include'>,
) {
  const rater = { workspaceId: by.workspaceId, runId, userId: by.userId }
  const [run] = await findRun(db.read, { ...rater, componentId })
  if (!run) throw notFound('Run')
  const policy = await readAnnotationPolicy(db.read, rater)
  const scheme = await readRatingScheme(db.read, rater.workspaceId)
  const judge = wanted.order === 'information' ? await findJudge(db, rater) : undefined
  const excluded = await canonicalRefs(db.read, rater.workspaceId, skip)
  const [firstRef] = first === undefined ? [] : await canonicalRefs(db.read, rater.workspaceId, [first])
  const last = await listSkipped(db.read, rater)
  const { datasetId, traceCount: total } = run
  const isCalibrating = wanted.order === 'calibration'
  const rated = await countOwnRatings(db.read, rater)
  const pool = isCalibrating ? await findVerdictPool(db, rater, wanted.evaluator) : undefined
  const state = pool && (await readLabelState(db.read, rater, { pool, scheme }))
  // Read before the transaction that reserves traces.
  const runPool = pool || judge || rated >= total ? NO_POOL : await findRunPool(db, rater, run)
  const draws: Draw[] = []
  const draw = async (q: Queries, request: QueueRequest, count: number) => {
    const drawn =
      pool && state
        ? await drawByVerdict(q, clock, { request, pool, state, limit: count })
        : await drawAtRandom(q, clock, { request, pool: runPool, limit: count })
    draws.push(...drawn.draws)
    return drawn.refs
  }
  const search = { rater, componentId, judge, scheme, excluded, last, first: firstRef, limit }
  // Skip the search if the caller has rated all traces.
  const assignments: Assignment[] =
    rated < total ? await assignTraces({ db, clock }, judge ? search : { ...search, draw }, { policy, mode }) : []
  if (mode === 'take') await storeDraws({ db, clock }, { ...rater, componentId }, draws)
  const order: QueueOrder = pool ? 'calibration' : judge ? 'information' : 'random'
  const calibrated = isCalibrating && {
    calibration:
      pool && state
        ? describeCalibration({ pool, state, isBlind: policy.blind }, wanted.precision ?? PRECISION_DEFAULT)
        : null,
  }
  return { rater, datasetId, policy, scheme, order, total, rated, excluded, last, assignments, calibrated }
}

async function storeDraws(
  { db, clock }: QueueServices,
  run: RunScope & { componentId: string },
  draws: readonly Draw[],
): Promise<void> {
  if (draws.length === 0) return
  await db.transaction(async (tx) => {
    // Deleted in the meantime: nothing to store.
    if (await lockRun(tx, run)) await saveDraws(tx, run, { draws, drawnAt: timestamp(clock.now()) })
  })
}

/** Traces that were deleted in the meantime are missing. */
async function readItems(db: QueueServices['db'], { rater, datasetId, assignments }: Queue) {
  if (assignments.length === 0) return []
  const refs = assignments.map(({ traceRef }) => traceRef)
  const found = await readTracesWithTexts(db.read, { ...rater, datasetId }, refs)
  const comments = await listOwnComments(db.read, rater, refs)
  return assignments.flatMap(({ traceRef, leaseUntil }) => {
    const trace = found.get(traceRef)
    if (!trace) return []
    const { texts, item, ...summary } = trace
    return [{ summary, texts, item, leaseUntil, comment: comments.get(traceRef) ?? null }]
  })
}

function stateOf(db: QueueServices['db'], { rater, policy, total, rated, excluded }: Queue, items: number) {
  return describeQueue(db.read, { rater, policy, total, rated, skipped: excluded.length, items })
}

/** A rating that the caller may choose. `score` is null for a value that is not in the scheme. */
type Choice = {
  value: string
  label: string | null
  score: number | null
  color: string | null
  key: string | null
}

/** The ratings that the policy allows, as the scheme displays them; all ratings of the scheme if it allows any. */
function choicesOf({ ratings }: AnnotationPolicy, scheme: DisplayedScheme): Choice[] {
  if (ratings === null) return scheme.ratings.map((rating) => ({ ...rating }))
  const known = new Map(scheme.ratings.map((rating) => [rating.value, rating]))
  return withKeys(
    ratings.map((value) => known.get(value) ?? { value, label: null, score: null, color: null, key: undefined }),
  )
}

type QueueState = {
  rater: Rater
  policy: AnnotationPolicy
  total: number
  rated: number
  /** How many traces are returned. */
  items: number
  skipped: number
}

/** The progress of the caller, with a summary. */
async function describeQueue(q: Queries, { rater, policy, total, rated, items, skipped }: QueueState) {
  const { ratersPerItem } = policy
  const full = ratersPerItem === null || rated >= total ? 0 : await countFullyRated(q, rater, ratersPerItem)
  // Traces may be linked between the two counts.
  const remaining = Math.max(total - rated - full, items)
  const state = { remaining, rated, total }
  if (items > 0) return { ...state, summary: `You have rated ${rated} of ${total} traces; ${remaining} remain.` }
  if (total === 0) return { ...state, summary: 'This run has no traces.' }
  if (rated >= total) return { ...state, summary: `You have rated all ${total} traces of this run.` }
  if (remaining === 0) {
    const raters = ratersPerItem === 1 ? 'its rater' : `its ${ratersPerItem} raters`
    return { ...state, summary: `No traces are left for you: each trace that you have not rated has ${raters}.` }
  }
  const waiting = await countNotArrived(q, rater)
  const reasons = [
    waiting > 0 ? `${waiting} of the run’s traces have not arrived` : '',
    skipped > 0 ? `you skipped ${Math.min(skipped, remaining)}` : '',
    ratersPerItem !== null && remaining > waiting + skipped ? 'others are being rated by other users' : '',
  ].filter((reason) => reason !== '')
  const reasonText = reasons.length === 0 ? '' : `: ${reasons.join(', and ')}`
  return { ...state, summary: `No trace is available at the moment, although ${remaining} remain${reasonText}.` }
}
