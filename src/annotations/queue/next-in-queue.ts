import type { Clock } from '../../base/clock.ts'
import { notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import type { RatingScheme } from '../../evaluators/rating-scheme.ts'
import type { Context } from '../../http/route.ts'
import { findRun, lockRun } from '../../runs/run-queries.ts'
import type { Db, Queries } from '../../storage/db.ts'
import { canonicalRefs } from '../../traces/trace-refs.ts'
import { type AnnotationPolicy, lockAnnotationPolicy, readAnnotationPolicy } from '../annotation-policy-queries.ts'
import { readRatingScheme } from '../rating-scheme-queries.ts'
import { chooseTrace } from './choose-trace.ts'
import { findJudge, type Judge } from './find-judge.ts'
import { findLease, type Lease, type Rater, RENEW_BELOW_SECONDS, releaseLeases, saveLease } from './lease-queries.ts'
import { readQueueItem } from './queue-item-queries.ts'
import { countOwnRatings, listCandidates, type QueueRequest } from './queue-queries.ts'
import { describeQueue } from './queue-state.ts'

/** `look` reserves nothing and writes nothing. */
type Asked = { componentId: string; runId: string; skip: readonly string[]; mode: 'look' | 'take' }

/**
 * Hands the caller the next trace that he or she has not rated. Where the run limits how many rate each trace, the trace is the
 * caller's for some minutes: asked again, the same one is answered, until it is rated or skipped.
 */
export async function nextInQueue({ db, clock }: Pick<Context, 'db' | 'clock'>, by: Principal, asked: Asked) {
  const { componentId, runId, skip, mode } = asked
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
  // Whoever has rated everything need not be searched for.
  const handed = rated < total ? await handOut({ db, clock }, search, { policy, componentId, mode }) : undefined
  const item = handed && (await readQueueItem(db.read, { ...rater, datasetId, traceRef: handed.traceRef }))
  const state = { rater, policy, total, rated, skipped: skipped.length }
  return {
    item: item ?? null,
    ...(await describeQueue(db.read, { ...state, hasItem: item !== undefined })),
    order: judge ? 'information' : 'coverage',
    leaseUntil: (item && handed?.leaseUntil) ?? null,
    blind: policy.blind,
    ratings: choicesOf(policy, scheme),
  }
}

type Search = { rater: Rater; skipped: readonly string[]; judge: Judge | undefined; scheme: RatingScheme }
type Handed = { traceRef: string; leaseUntil: string | null }

async function handOut(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  search: Search,
  { policy, componentId, mode }: { policy: AnnotationPolicy; componentId: string; mode: Asked['mode'] },
): Promise<Handed | undefined> {
  if (policy.ratersPerItem === null) return choose(db.read, clock, search, policy)
  if (mode === 'look') return (await held(db.read, clock, search, policy)) ?? choose(db.read, clock, search, policy)
  return (await resume(db.read, clock, search, policy)) ?? leaseNext(db, clock, search, componentId)
}

async function choose(q: Queries, clock: Clock, search: Search, policy: AnnotationPolicy): Promise<Handed | undefined> {
  const traceRef = await chooseTrace(q, clock, { ...search, seeker: seekerOf(search, policy) })
  return traceRef === undefined ? undefined : { traceRef, leaseUntil: null }
}

/** What the caller has reserved, however soon it runs out. */
async function held(q: Queries, clock: Clock, search: Search, policy: AnnotationPolicy): Promise<Lease | undefined> {
  const lease = await findLease(q, clock, search.rater)
  return lease && (await isStillOpen(q, clock, seekerOf(search, policy), lease)) ? lease : undefined
}

/** What the caller holds already, without writing anything, unless it is soon to run out. */
async function resume(q: Queries, clock: Clock, search: Search, policy: AnnotationPolicy): Promise<Lease | undefined> {
  const lease = await findLease(q, clock, search.rater, { secondsLeft: RENEW_BELOW_SECONDS })
  return lease && (await isStillOpen(q, clock, seekerOf(search, policy), lease)) ? lease : undefined
}

/** One transaction of a run at a time comes past holding the policy, so that a place is never given to two. */
async function leaseNext(db: Db, clock: Clock, search: Search, componentId: string): Promise<Handed | undefined> {
  const { rater } = search
  return db.transaction(async (tx) => {
    if (!(await lockRun(tx, { ...rater, componentId }))) throw notFound('Run')
    const policy = await lockAnnotationPolicy(tx, rater)
    // Changed since it was read: then there is nothing to reserve.
    if (policy.ratersPerItem === null) return choose(tx, clock, search, policy)
    const seeker = seekerOf(search, policy)
    const lease = await findLease(tx, clock, rater)
    const isKept = lease && (await isStillOpen(tx, clock, seeker, lease))
    await releaseLeases(tx, clock, rater)
    const traceRef = isKept ? lease.traceRef : await chooseTrace(tx, clock, { ...search, seeker })
    if (traceRef === undefined) return undefined
    return { traceRef, leaseUntil: await saveLease(tx, clock, rater, traceRef) }
  })
}

/** Neither rated, skipped, deleted nor taken out of the run since it was handed out. */
async function isStillOpen(q: Queries, clock: Clock, seeker: QueueRequest, { traceRef }: Lease): Promise<boolean> {
  // Whoever holds a lease has a place, also if the run asks for fewer raters by now.
  const anywhere = { ...seeker, ratersPerItem: null }
  return (await listCandidates(q, clock, anywhere, { among: [traceRef], limit: 1 })).length > 0
}

function seekerOf({ rater, skipped }: Search, { ratersPerItem }: AnnotationPolicy): QueueRequest {
  return { ...rater, ratersPerItem, skipped }
}

/** The words that the run allows, with the labels of the scheme; all of the scheme's where it allows any. */
function choicesOf({ ratings }: AnnotationPolicy, scheme: RatingScheme): { value: string; label: string | null }[] {
  const labels = new Map(scheme.ratings.map(({ value, label }) => [value, label]))
  return (ratings ?? [...labels.keys()]).map((value) => ({ value, label: labels.get(value) ?? null }))
}
