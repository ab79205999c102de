/** All calls of a trial as one text, which a page of 100,000 calls can draw at once. */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Queries } from '../../storage/db.ts'
import { callTraceId } from '../calls/call-trace-id.ts'
import type { TrialRow } from '../trial-queries.ts'
import { findMatrixScores, listCompactCalls, type MatrixCall, type MatrixScope } from './matrix-queries.ts'
import type { OpenMatrix } from './open-matrix.ts'

const CALLS_PER_READ = 5_000
const LETTERS = { queued: 'q', running: 'r', retrying: 't', done: 'd', failed: 'f', skipped: 's' } as const

type Described = Pick<OpenMatrix, 'scale' | 'higherIsBetter'> & { trial: TrialRow }

export async function readCompact(q: Queries, scope: MatrixScope, described: Described): Promise<string> {
  let text = ''
  for (let after = 0; ; ) {
    const read = await listCompactCalls(q, scope, { after, limit: CALLS_PER_READ })
    const scores = await findScores(q, scope, read)
    for (const call of read) text += letterOf(call, scores, described)
    const last = read.at(-1)
    if (!last || read.length < CALLS_PER_READ) return text
    after = last.number
    await yieldToEventLoop()
  }
}

async function findScores(
  q: Queries,
  { workspaceId, scored }: MatrixScope,
  calls: readonly MatrixCall[],
): Promise<ReadonlyMap<string, number>> {
  if (!scored || calls.length === 0) return new Map()
  const itemIds = [...new Set(calls.map(({ itemId }) => itemId))]
  return findMatrixScores(q, workspaceId, scored, itemIds)
}

function letterOf(
  { variant, itemId, repetition, state, attempt }: MatrixCall,
  scores: ReadonlyMap<string, number>,
  { trial, scale, higherIsBetter }: Described,
): string {
  if (state !== 'done' || scores.size === 0 || scale === null) return LETTERS[state]
  const score = scores.get(callTraceId({ trialId: trial.id, variant, itemId, repetition, attempt }))
  if (score === undefined) return LETTERS[state]
  const share = (score - scale[0]) / (scale[1] - scale[0])
  return digitOf(higherIsBetter === false ? 1 - share : share)
}

/** Only the worst score is 0, and only the best one is 9. */
function digitOf(share: number): string {
  if (share <= 0) return '0'
  if (share >= 1) return '9'
  return String(1 + Math.floor(share * 8))
}
