/**
 * Draws the traces whose ratings make the corrected rate of a judge most certain: at random, but more often from the
 * verdict that the judge is less reliable about. Each draw has a known probability, by which its rating is weighted.
 */
import type { Clock } from '../../base/clock.ts'
import { chunksOf } from '../../base/event-loop.ts'
import { type RatingScheme, ratingsArePositive } from '../../evaluators/rating-scheme.ts'
import { listPassRates } from '../../scores/judge-queries.ts'
import { allocateLabels, type LabelState, labelsNeeded } from '../../statistics/calibration/label-allocation.ts'
import { nextRandom, seededRandom } from '../../statistics/random/seeded-random.ts'
import type { Queries } from '../../storage/db.ts'
import type { Draw } from './draw-queries.ts'
import type { Rater } from './lease-queries.ts'
import { listNewestRatings, listRatingsOf, type QueueRequest } from './queue-queries.ts'
import { type DrawnTraces, firstUnrated } from './random-draws.ts'
import type { VerdictPool } from './trace-pools.ts'

const RATINGS_MAX = 5_000
const REFS_PER_QUERY = 200
/** As many as `nextLabels` of an evaluation divides. */
const NEXT_LABELS = 20
/** Both verdicts keep a chance: a label that could hardly have been drawn would weigh too much. */
const SHARE_MIN = 0.1
/** Below this, an evaluation does not correct a rate. */
const LABELS_MIN = 20

/** What is known of the judge: how many traces have which verdict, and how many of them are rated as good. */
export async function readLabelState(
  q: Queries,
  rater: Rater,
  { pool, scheme }: { pool: VerdictPool; scheme: RatingScheme },
): Promise<LabelState> {
  const newest = await listNewestRatings(q, rater, RATINGS_MAX)
  const counts = { passed: { labeled: 0, good: 0 }, failed: { labeled: 0, good: 0 } }
  for (const refs of chunksOf([...new Set(newest.map(({ ref }) => ref))], REFS_PER_QUERY)) {
    const ratings = Map.groupBy(await listRatingsOf(q, rater, refs), ({ ref }) => ref)
    for (const { ref, share } of await listPassRates(q, pool, { evaluators: [pool.evaluator], refs })) {
      const given = (ratings.get(ref) ?? []).map(({ rating }) => rating)
      const isGood = ratingsArePositive(scheme, given)
      if (isGood === undefined) continue
      const verdict = share > 0.5 ? counts.passed : counts.failed
      verdict.labeled += 1
      if (isGood) verdict.good += 1
    }
  }
  const of = (name: 'passed' | 'failed') => ({
    cases: Math.max(pool[name].count, counts[name].labeled),
    ...counts[name],
  })
  return { passed: of('passed'), failed: of('failed') }
}

type Drawing = { request: QueueRequest; pool: VerdictPool; state: LabelState; limit: number }

/**
 * Draws at most `limit` traces that no one has rated. Repeating the request before a trace is rated draws the same ones.
 */
export async function drawByVerdict(
  q: Queries,
  clock: Clock,
  { request, pool, state, limit }: Drawing,
): Promise<DrawnTraces> {
  const open = {
    passed: await firstUnrated(q, clock, request, { pool: pool.passed, limit }),
    failed: await firstUnrated(q, clock, request, { pool: pool.failed, limit }),
  }
  const left = {
    passed: Math.max(open.passed.length, state.passed.cases - state.passed.labeled),
    failed: Math.max(open.failed.length, state.failed.cases - state.failed.labeled),
  }
  const next = allocateLabels(state, NEXT_LABELS)
  const wanted = next.passed + next.failed === 0 ? 0.5 : next.passed / (next.passed + next.failed)
  const labeled = state.passed.labeled + state.failed.labeled
  const random = seededRandom(`${pool.evaluationId}:${request.userId}:${labeled}`)
  const draws: Draw[] = []
  while (draws.length < limit && open.passed.length + open.failed.length > 0) {
    const share = sharePassed(wanted, open)
    const verdict = nextRandom(random) < share ? 'passed' : 'failed'
    const traceRef = open[verdict].shift() ?? ''
    const probability = (verdict === 'passed' ? share : 1 - share) / left[verdict]
    draws.push({ traceRef, probability, pool: left.passed + left.failed })
    left[verdict] = Math.max(open[verdict].length, left[verdict] - 1)
  }
  return { refs: draws.map(({ traceRef }) => traceRef), draws }
}

function sharePassed(wanted: number, open: { passed: readonly string[]; failed: readonly string[] }): number {
  if (open.failed.length === 0) return 1
  if (open.passed.length === 0) return 0
  return Math.min(1 - SHARE_MIN, Math.max(SHARE_MIN, wanted))
}

/** What further ratings are worth, for the rater. Null for what would reveal ratings of others in a blind run. */
export function describeCalibration(
  { pool, state, isBlind }: { pool: VerdictPool; state: LabelState; isBlind: boolean },
  precision: number,
) {
  const { evaluator } = pool
  const points = `±${Number((100 * precision).toFixed(1))} points`
  if (isBlind) {
    const summary = 'How many ratings are needed is hidden while the run is rated blindly.'
    return { evaluator, labels: null, precision, ratingsNeeded: null, summary }
  }
  const labels = state.passed.labeled + state.failed.labeled
  const needed = labelsNeeded(state, precision)
  if (needed.kind === 'cases') {
    const summary = `The run has too few traces for ${points}, even if all of them are rated.`
    return { evaluator, labels, precision, ratingsNeeded: null, summary }
  }
  const ratingsNeeded = Math.max(needed.labels, LABELS_MIN - labels, 0)
  const summary =
    ratingsNeeded === 0
      ? `The ratings are sufficient for ${points}.`
      : `${ratingsNeeded} more ${ratingsNeeded === 1 ? 'rating' : 'ratings'} for ${points}.`
  return { evaluator, labels, precision, ratingsNeeded, summary }
}
