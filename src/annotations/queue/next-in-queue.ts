import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { RatingScheme } from '../../evaluators/rating-scheme.ts'
import type { Context } from '../../http/route.ts'
import { findRun, lockRun } from '../../runs/run-queries.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-ref-queries.ts'
import { type AnnotationPolicy, lockAnnotationPolicy, readAnnotationPolicy } from '../annotation-policy-queries.ts'
import { readRatingScheme } from '../rating-scheme-queries.ts'
import { chooseTrace } from './choose-trace.ts'
import { findJudge, type Judge } from './find-judge.ts'
import { findLease, type Lease, type Rater, RENEW_BELOW_SECONDS, releaseLeases, saveLease } from './lease-queries.ts'
import { readQueueItem } from './queue-item-queries.ts'
import { countOwnRatings, listCandidates, type QueueRequest } from './queue-queries.ts'
import { describeQueue } from './queue-state.ts'

/** `look` does not write anything and creates no lease. */
type QueueOptions = { componentId: string; runId: string; skip: readonly string[]; mode: 'look' | 'take' }

/**
 * Returns the next trace that the caller has not rated. If the run limits the raters per trace, the trace is leased to
 * the caller for some minutes: repeated requests return the same trace until it is rated or skipped.
 */
export async function nextInQueue({ db, clock }: Pick<Context, 'db' | 'clock'>, by: Principal, options: QueueOptions) {
  const { componentId, runId, skip, mode } = options
  const rater = { workspaceId: by.workspaceId, runId, userId: by.userId }
  const [run] = await findRun(db.read, { ...rater, componentId })
  if (!run) throw notFound('Run')
  const policy = await readAnnotationPolicy(db.read, rater)
  const scheme = await readRatingScheme(db.read, rater.workspaceId)
  const judge = await findJudge(db, rater)
  const skipped = await canonicalRefs(db.read, rater.workspaceId, skip)
  const search = { rater, skipped, judge, scheme }
  const { datasetId, traceCount: total } = run
  const rated = await countOwnRatings(db.read, rater)
  // Skip the search if the caller has rated all traces.
  const assignment = rated < total ? await assignTrace({ db, clock }, search, { policy, componentId, mode }) : undefined
  const item = assignment && (await readQueueItem(db.read, { ...rater, datasetId, traceRef: assignment.traceRef }))
  const state = { rater, policy, total, rated, skipped: skipped.length }
  return {
    item: item ?? null,
    ...(await describeQueue(db.read, { ...state, hasItem: item !== undefined })),
    order: judge ? 'information' : 'coverage',
    leaseUntil: (item && assignment?.leaseUntil) ?? null,
    blind: policy.blind,
    ratings: choicesOf(policy, scheme),
  }
}

type QueueContext = { rater: Rater; skipped: readonly string[]; judge: Judge | undefined; scheme: RatingScheme }
type Assignment = { traceRef: string; leaseUntil: string | null }

async function assignTrace(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  search: QueueContext,
  { policy, componentId, mode }: { policy: AnnotationPolicy; componentId: string; mode: QueueOptions['mode'] },
): Promise<Assignment | undefined> {
  if (policy.ratersPerItem === null) return choose(db.read, clock, search, policy)
  if (mode === 'look')
    return (await currentLease(db.read, clock, search, policy)) ?? choose(db.read, clock, search, policy)
  return (await reusableLease(db.read, clock, search, policy)) ?? leaseNext(db, clock, search, componentId)
}

async function choose(
  q: Queries,
  clock: Clock,
  search: QueueContext,
  policy: AnnotationPolicy,
): Promise<Assignment | undefined> {
  const traceRef = await chooseTrace(q, clock, { ...search, request: requestOf(search, policy) })
  return traceRef === undefined ? undefined : { traceRef, leaseUntil: null }
}

/** The active lease of the caller, regardless of the time left. */
async function currentLease(
  q: Queries,
  clock: Clock,
  search: QueueContext,
  policy: AnnotationPolicy,
): Promise<Lease | undefined> {
  const lease = await findLease(q, clock, search.rater)
  return lease && (await isStillAvailable(q, clock, requestOf(search, policy), lease)) ? lease : undefined
}

/** The lease of the caller, without a write, unless it is about to expire. */
async function reusableLease(
  q: Queries,
  clock: Clock,
  search: QueueContext,
  policy: AnnotationPolicy,
): Promise<Lease | undefined> {
  const lease = await findLease(q, clock, search.rater, { secondsLeft: RENEW_BELOW_SECONDS })
  return lease && (await isStillAvailable(q, clock, requestOf(search, policy), lease)) ? lease : undefined
}

/** Locking the policy serializes the transactions of a run, so that a slot is never assigned twice. */
async function leaseNext(
  db: Db,
  clock: Clock,
  search: QueueContext,
  componentId: string,
): Promise<Assignment | undefined> {
  const { rater } = search
  return db.transaction(async (tx) => {
    if (!(await lockRun(tx, { ...rater, componentId }))) throw notFound('Run')
    const policy = await lockAnnotationPolicy(tx, rater)
    // Changed since it was read: then there is nothing to reserve.
    if (policy.ratersPerItem === null) return choose(tx, clock, search, policy)
    const request = requestOf(search, policy)
    const lease = await findLease(tx, clock, rater)
    const isReused = lease && (await isStillAvailable(tx, clock, request, lease))
    await releaseLeases(tx, clock, rater)
    const traceRef = isReused ? lease.traceRef : await chooseTrace(tx, clock, { ...search, request })
    if (traceRef === undefined) return undefined
    return { traceRef, leaseUntil: await saveLease(tx, clock, rater, traceRef) }
  })
}

/** True if the trace was not rated, skipped, deleted or unlinked since the lease was created. */
async function isStillAvailable(
  q: Queries,
  clock: Clock,
  request: QueueRequest,
  { traceRef }: Lease,
): Promise<boolean> {
  // A lease stays valid if the run requires fewer raters now.
  const withoutLimit = { ...request, ratersPerItem: null }
  return (await listCandidates(q, clock, withoutLimit, { among: [traceRef], limit: 1 })).length > 0
}

function requestOf({ rater, skipped }: QueueContext, { ratersPerItem }: AnnotationPolicy): QueueRequest {
  return { ...rater, ratersPerItem, skipped }
}

/**
 * The ratings that the policy allows, with the labels of the scheme. All ratings of the scheme if the policy allows
 * any.
 */
function choicesOf({ ratings }: AnnotationPolicy, scheme: RatingScheme): { value: string; label: string | null }[] {
  const labels = new Map(scheme.ratings.map(({ value, label }) => [value, label]))
  return (ratings ?? [...labels.keys()]).map((value) => ({ value, label: labels.get(value) ?? null }))
}
