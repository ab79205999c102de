import { attachTraces } from '../annotations/attach-traces.ts'
import { readRatingScheme } from '../annotations/rating-rule-queries.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { findRun } from '../runs/run-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findTraceIds } from '../traces/trace-queries.ts'
import {
  findNames,
  listCommented,
  listResolutions,
  pagesOfRunRatings,
  type Resolution,
  visibilityFor,
} from './agreement-queries.ts'
import { comparePositions, type Disagreement, orderDisagreements, type Position } from './order-disagreements.ts'
import { gatherRatings } from './rating-units.ts'

type DisagreementQuery = {
  componentId: string
  runId: string
  /** Undefined for all. */
  isResolved: boolean | undefined
  /** Undefined for all. */
  between: RatersFilter | undefined
  limit: number
  /** The position of the last disagreement of the page before. */
  after: Position | undefined
}

/** Selects the traces that two raters rated differently, or with exactly these ratings. */
export type RatersFilter = { userIds: readonly [string, string]; ratings: readonly [string, string] | undefined }

/** The traces of a run on which raters disagree, with their texts, comments and resolutions. */
export async function readDisagreements(
  q: Queries,
  by: Principal,
  { isResolved, between, limit, after, ...params }: DisagreementQuery,
) {
  const scope = { workspaceId: by.workspaceId, ...params }
  const [run] = await findRun(q, scope)
  if (!run) throw notFound('Run')
  const all = await listRunDisagreements(q, by, params)
  const resolutions = await listResolutions(q, scope)
  const resolved = all.filter(({ ref }) => resolutions.has(ref)).length
  const chosen = all.filter(
    (one) =>
      (isResolved === undefined || resolutions.has(one.ref) === isResolved) &&
      (between === undefined || isBetween(between, one)),
  )
  const rest = after === undefined ? chosen : chosen.filter((one) => comparePositions(after, one) < 0)
  const page = rest.slice(0, limit)
  return {
    data: await describe(q, scope, page, resolutions),
    last: rest.length > limit ? page.at(-1) : undefined,
    total: all.length,
    open: all.length - resolved,
    resolved,
    steps: countSteps(all),
  }
}

function isBetween({ userIds, ratings: wanted }: RatersFilter, { ratings }: Disagreement): boolean {
  const [first, second] = userIds.map((userId) => ratings.get(userId))
  if (first === undefined || second === undefined) return false
  return wanted === undefined ? first !== second : first === wanted[0] && second === wanted[1]
}

/** The disagreements that the caller may see: of all traces of a run, or of one. */
export async function listRunDisagreements(
  q: Queries,
  by: Principal,
  { runId, traceRef }: { runId: string; traceRef?: string },
): Promise<Disagreement[]> {
  const scope = { workspaceId: by.workspaceId, runId, ...(await visibilityFor(q, by)) }
  const scheme = await readRatingScheme(q, by.workspaceId)
  const gathered = await gatherRatings(pagesOfRunRatings(q, { ...scope, traceRef }), scheme)
  return orderDisagreements(gathered, scheme.ordered ? gathered.categories : undefined)
}

type RunScope = { workspaceId: string; componentId: string; runId: string }

async function describe(
  q: Queries,
  { workspaceId, componentId, runId }: RunScope,
  page: readonly Disagreement[],
  resolutions: ReadonlyMap<string, Resolution>,
) {
  const ids = page.flatMap(({ annotationIds }) => annotationIds)
  const ratings = await listCommented(q, { workspaceId, ids })
  const names = await findNames(q, [...new Set(ratings.map(({ userId }) => userId))])
  const byRef = Map.groupBy(ratings, ({ ref }) => ref)
  const refs = page.map(({ ref }) => ref)
  const traceIds = await findTraceIds(q, workspaceId, refs)
  const rows = page.map(({ ref, steps }) => ({
    traceDbId: traceIds.get(ref) ?? ref,
    steps,
    ratings: (byRef.get(ref) ?? [])
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(({ userId, rating, comment }) => ({ userId, name: names.get(userId) ?? null, rating, comment })),
    resolution: resolutions.get(ref) ?? null,
  }))
  return attachTraces(q, workspaceId, { componentId, runId, rows })
}

/** How many disagreements have which distance, the widest first; empty without an order. */
function countSteps(all: readonly Disagreement[]): { steps: number; count: number }[] {
  const counts = new Map<number, number>()
  for (const { steps } of all) if (steps !== null) counts.set(steps, (counts.get(steps) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => b - a).map(([steps, count]) => ({ steps, count }))
}
