import type { Clock } from '../../base/clock.ts'
import { chunksOf } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { type Draw, listDrawChances } from './draw-queries.ts'
import { listCandidates, type QueueRequest } from './queue-queries.ts'
import type { Pool } from './trace-pools.ts'

const REFS_PER_QUERY = 200
const ROUNDING = 1e-9

/** `refs` are to be rated next; `draws` are new. */
export type DrawnTraces = { refs: string[]; draws: Draw[] }

/**
 * Draws the first traces of the pool, at most `limit`, that no one has rated. Repeating the request before a trace is rated
 * draws the same ones. Traces that come before them and are rated already count as drawn, too: otherwise the drawn ones
 * would be a sample of what was left by a rater who began with the interesting traces. So do those of the order
 * `calibration`.
 */
export async function drawAtRandom(
  q: Queries,
  clock: Clock,
  { request, pool, limit }: { request: QueueRequest; pool: Pool; limit: number },
): Promise<DrawnTraces> {
  const refs = await firstUnrated(q, clock, request, { pool, limit })
  const drawn = pool.refs.slice(0, refs.length < limit ? pool.refs.length : pool.refs.indexOf(refs.at(-1) ?? '') + 1)
  const draws: Draw[] = []
  for (const chunk of chunksOf(drawn, REFS_PER_QUERY)) {
    const known = await listDrawChances(q, request, chunk)
    for (const traceRef of chunk)
      if (Math.abs((known.get(traceRef) ?? 0) - 1) > ROUNDING)
        draws.push({ traceRef, probability: 1 / pool.count, pool: pool.count })
  }
  return { refs, draws }
}

/** The first traces in random order that can be assigned and have no rating yet. */
export async function firstUnrated(
  q: Queries,
  clock: Clock,
  request: QueueRequest,
  { pool, limit }: { pool: Pool; limit: number },
): Promise<string[]> {
  const found: string[] = []
  for (const refs of chunksOf(pool.refs, REFS_PER_QUERY)) {
    const candidates = await listCandidates(q, clock, request, { among: refs, limit: refs.length })
    const unrated = new Set(candidates.filter(({ raters }) => raters === 0).map(({ ref }) => ref))
    found.push(...refs.filter((ref) => unrated.has(ref)))
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}
