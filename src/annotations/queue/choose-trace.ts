/**
 * Chooses the next trace of a run for a user to rate.
 *
 * If an evaluation with judges exists, the most informative traces come first: those where the ratings and a judge
 * disagree, then those that the judges are least certain about. All other traces follow in the order of their
 * references, which is effectively random, so that a user who stops early has rated a random sample. Traces with fewer
 * raters come first.
 *
 * A run may have a hundred thousand traces, and this function runs once for each. It therefore scans one window forward
 * from the user's position and wraps around at the end. Disagreement is only searched in that window and among the
 * newest ratings.
 */
import type { Clock } from '../../base/clock.ts'
import { chunksOf } from '../../base/event-loop.ts'
import { majorityIsPositive, type RatingScheme } from '../../evaluators/rating-scheme.ts'
import { listPassRates } from '../../scores/judge-queries.ts'
import type { Queries } from '../../storage/db.ts'
import type { Judge } from './find-judge.ts'
import { type Candidate, listCandidates, listNewestRatings, listRatingsOf, type QueueRequest } from './queue-queries.ts'

const WINDOW = 200
const NEWEST_RATINGS = 200
const UNCERTAIN_PER_QUERY = 100

type TraceChoice = { request: QueueRequest; judge: Judge | undefined; scheme: RatingScheme }

/** Returns the reference of the trace; undefined if none is available. */
export async function chooseTrace(q: Queries, clock: Clock, choice: TraceChoice): Promise<string | undefined> {
  const { request, judge, scheme } = choice
  const newest = await listNewestRatings(q, request, NEWEST_RATINGS)
  const position = newest.find(({ userId }) => userId === request.userId)?.ref ?? ''
  const window = await scanForward(q, clock, request, position)
  if (judge) {
    const others = newest.filter(({ userId }) => userId !== request.userId).map(({ ref }) => ref)
    const rated = window.filter(({ raters }) => raters > 0).map(({ ref }) => ref)
    const refs = await findContested(q, request, { judge, scheme, refs: [...new Set([...others, ...rated])] })
    const first =
      leastRated(await listCandidatesAmong(q, clock, request, refs)) ?? (await uncertain(q, clock, request, judge))
    if (first !== undefined) return first
  }
  return leastRated(window)
}

async function scanForward(q: Queries, clock: Clock, request: QueueRequest, position: string): Promise<Candidate[]> {
  const ahead = await listCandidates(q, clock, request, { after: position, limit: WINDOW })
  if (ahead.length === WINDOW || position === '') return ahead
  const around = await listCandidates(q, clock, request, { upTo: position, limit: WINDOW - ahead.length })
  return [...ahead, ...around]
}

/** The references for which the majority of the ratings and a judge disagree. */
async function findContested(
  q: Queries,
  request: QueueRequest,
  { judge, scheme, refs }: { judge: Judge; scheme: RatingScheme; refs: readonly string[] },
): Promise<string[]> {
  if (refs.length === 0) return []
  const ratings = Map.groupBy(await listRatingsOf(q, request, refs), ({ ref }) => ref)
  const { workspaceId } = request
  const passRates = await listPassRates(q, { workspaceId, ...judge }, { evaluators: judge.evaluators, refs })
  const disputed = passRates.filter(({ ref, share }) => {
    const isGood = majorityIsPositive(
      scheme,
      (ratings.get(ref) ?? []).map(({ rating }) => rating),
    )
    return isGood !== undefined && isGood !== share > 0.5
  })
  return [...new Set(disputed.map(({ ref }) => ref))]
}

async function uncertain(q: Queries, clock: Clock, request: QueueRequest, judge: Judge): Promise<string | undefined> {
  for (const chunk of chunksOf(judge.uncertain, UNCERTAIN_PER_QUERY)) {
    const open = new Set((await listCandidatesAmong(q, clock, request, chunk)).map(({ ref }) => ref))
    const first = chunk.find((ref) => open.has(ref))
    if (first !== undefined) return first
  }
  return undefined
}

async function listCandidatesAmong(
  q: Queries,
  clock: Clock,
  request: QueueRequest,
  refs: readonly string[],
): Promise<Candidate[]> {
  return refs.length === 0 ? [] : listCandidates(q, clock, request, { among: refs, limit: refs.length })
}

/** Returns the first one in case of a tie. */
function leastRated(candidates: readonly Candidate[]): string | undefined {
  const least = Math.min(...candidates.map(({ raters }) => raters))
  return candidates.find(({ raters }) => raters === least)?.ref
}
