/** The answers of one proposal, each with its scores and its trace. */
import { notFound } from '../../base/errors.ts'
import { dollarsOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { findCallItems } from '../../trials/calls/call-item-queries.ts'
import { listIterationAnswers } from '../calls/experiment-call-queries.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import { listIterations } from '../iteration-queries.ts'
import type { IterationAnswer } from './course-schemas.ts'
import { questionOf } from './read-iteration.ts'

type Listing = { iteration: number; after: number; limit: number }

/** One more than the limit is read, to find out whether there are more. */
export async function listAnswersOf(
  q: Queries,
  { workspaceId, id: experimentId, datasetId }: ExperimentRow,
  { iteration, after, limit }: Listing,
): Promise<{ data: IterationAnswer[]; hasMore: boolean }> {
  const of = { workspaceId, experimentId }
  if (!(await listIterations(q, of)).some(({ number }) => number === iteration)) throw notFound('Iteration')
  const rows = await listIterationAnswers(q, of, { iteration, after, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const items = await findCallItems(q, { workspaceId, datasetId }, [...new Set(page.map(({ itemId }) => itemId))])
  const data = page.map(({ number, split, itemId, value, scores, reason, nanoUsd, traceId }) => ({
    call: number,
    split,
    itemId,
    question: questionOf(items.get(itemId)?.input ?? null),
    score: value,
    scores: Object.entries(scores).map(([metric, one]) => ({ metric, ...one })),
    reason,
    costUsd: dollarsOf(nanoUsd),
    traceId,
  }))
  return { data, hasMore: rows.length > limit }
}
