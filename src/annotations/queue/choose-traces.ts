/**
 * Chooses the next traces of a run for a user to rate.
 *
 * With judges, the most informative traces come first: those where the ratings and a judge disagree, then those that the
 * judges are least certain about. All other traces follow in the order of their references, those with fewer raters
 * first. In the order `random` these are the traces that remain when all of the pool have a rating.
 *
 * A run may have a hundred thousand traces, and this function runs once for each. It therefore scans one window forward
 * from the user's position and wraps around at the end. Disagreement is only searched in that window and among the
 * newest ratings.
 */
import type { Clock } from '../../base/clock.ts'
import { chunksOf } from '../../base/event-loop.ts'
import { type RatingScheme, ratingsArePositive } from '../../evaluators/rating-scheme.ts'
import { listPassRates } from '../../scores/judge-queries.ts'
import type { Queries } from '../../storage/db.ts'
import type { Judge } from './find-judge.ts'
import { type Candidate, listCandidates, listNewestRatings, listRatingsOf, type QueueRequest } from './queue-queries.ts'

const WINDOW = 200
const NEWEST_RATINGS = 200
const UNCERTAIN_PER_QUERY = 100

type TraceChoice = { request: QueueRequest; judge: Judge | undefined; scheme: RatingScheme; limit: number }

/** Returns the references of at most `limit` traces, in the order in which they should be rated. */
export async function chooseTraces(q: Queries, clock: Clock, choice: TraceChoice): Promise<string[]> {
  const { request, judge, scheme, limit } = choice
  const newest = await listNewestRatings(q, request, NEWEST_RATINGS)
  const position = newest.find(({ userId }) => userId === request.userId)?.ref ?? ''
  const window = await scanForward(q, clock, request, position)
  const chosen = new Set<string>()
  if (judge) {
    const others = newest.filter(({ userId }) => userId !== request.userId).map(({ ref }) => ref)
    const rated = window.filter(({ raters }) => raters > 0).map(({ ref }) => ref)
    const refs = await findContested(q, request, { judge, scheme, refs: [...new Set([...others, ...rated])] })
    for (const ref of byRaters(await listCandidatesAmong(q, clock, request, refs))) chosen.add(ref)
    if (chosen.size < limit) await addUncertain(q, clock, { request, judge, limit }, chosen)
  }
  for (const ref of byRaters(window)) chosen.add(ref)
  return [...chosen].slice(0, limit)
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
    const isGood = ratingsArePositive(
      scheme,
      (ratings.get(ref) ?? []).map(({ rating }) => rating),
    )
    return isGood !== undefined && isGood !== share > 0.5
  })
  return [...new Set(disputed.map(({ ref }) => ref))]
}

async function addUncertain(
  q: Queries,
  clock: Clock,
  { request, judge, limit }: { request: QueueRequest; judge: Judge; limit: number },
  chosen: Set<string>,
): Promise<void> {
  for (const chunk of chunksOf(judge.uncertain, UNCERTAIN_PER_QUERY)) {
    const open = new Set((await listCandidatesAmong(q, clock, request, chunk)).map(({ ref }) => ref))
    for (const ref of chunk) if (open.has(ref)) chosen.add(ref)
    if (chosen.size >= limit) return
  }
}

async function listCandidatesAmong(
  q: Queries,
  clock: Clock,
  request: QueueRequest,
  refs: readonly string[],
): Promise<Candidate[]> {
  return refs.length === 0 ? [] : listCandidates(q, clock, request, { among: refs, limit: refs.length })
}

/** Traces with fewer raters come first; equal ones keep their order. */
function byRaters(candidates: readonly Candidate[]): string[] {
  return candidates.toSorted((a, b) => a.raters - b.raters).map(({ ref }) => ref)
}
