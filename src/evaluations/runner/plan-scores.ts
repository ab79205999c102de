/**
 * Lays out what an evaluation has to do before it does any of it: one queued score per case, evaluator and repetition, so that every case
 * has a state from the beginning. In chunks, each of which moves a mark (`planned_to`) in its own transaction: killed anywhere, the next
 * worker goes on at the mark, and nothing is laid out twice.
 *
 * To try again what failed is the same walk over the scores that failed. One that ended before all was laid out is resumed: first that
 * walk, then the other from its beginning, which leaves what is there as it is.
 */
import { timestamp } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { type EvaluationScope, insertQueuedScores } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { askedOf, type EvaluationConfig } from '../evaluation-config.ts'
import { type CaseSource, listCases } from './case-queries.ts'
import { lockPlan, markPlanned, requeueFailed } from './plan-queries.ts'

/** A commit writes all of these at once, and requests wait for it: about as long as one of them takes. */
const SCORES_PER_CHUNK = 150

/** The mark: what is being done, and the last case that it is done for. */
type Mark = { phase: Phase; case: string }
type Phase = 'laying out' | 'trying again' | 'resuming' | 'laid out'

const LAYING_OUT: Mark = { phase: 'laying out', case: '' }
const LAID_OUT: Mark = { phase: 'laid out', case: '' }

/** Where to begin again with an evaluation that has ended. */
export function markToTryAgain({ status, planned_to: plannedTo }: { status: string; planned_to: string | null }) {
  const { phase } = readMark(plannedTo)
  const isLaidOut = status === 'completed' || phase === 'laid out' || phase === 'trying again'
  return writeMark({ phase: isLaidOut ? 'trying again' : 'resuming', case: '' })
}

function writeMark({ phase, case: ref }: Mark): string {
  return `${phase}:${ref}`
}

function readMark(text: string | null): Mark {
  if (text === null) return LAYING_OUT
  const [phase = '', ...rest] = text.split(':')
  const ref = rest.join(':')
  if (phase === 'laid out') return LAID_OUT
  return { phase: phase === 'trying again' || phase === 'resuming' ? phase : 'laying out', case: ref }
}

type Laying = EvaluationScope & { source: CaseSource; config: EvaluationConfig }

export async function planScores(job: JobRun, laying: Laying): Promise<void> {
  while (!job.signal.aborted) {
    const mark = await job.commit(async (tx) => {
      // Ended or deleted meanwhile: what is written now would have to be purged again.
      const layout = await lockPlan(tx, laying)
      if (!layout) return LAID_OUT
      const now = timestamp(job.clock.now())
      const { next, added } = await layOutChunk(tx, { ...laying, mark: readMark(layout.plannedTo), now })
      await markPlanned(tx, laying, { plannedTo: writeMark(next), added })
      return next
    })
    if (mark.phase === 'laid out') return
    await yieldToEventLoop()
  }
}

/** Where the mark is then, and how many scores are new. */
async function layOutChunk(
  tx: Queries,
  { mark, now, source, config, ...of }: Laying & { mark: Mark; now: string },
): Promise<{ next: Mark; added: number }> {
  if (mark.phase === 'laid out') return { next: mark, added: 0 }
  if (mark.phase !== 'laying out') {
    const last = await requeueFailed(tx, of, { after: mark.case, limit: SCORES_PER_CHUNK })
    if (last !== undefined) return { next: { ...mark, case: last }, added: 0 }
    return { next: mark.phase === 'resuming' ? LAYING_OUT : LAID_OUT, added: 0 }
  }
  const asked = askedOf(config)
  const perCase = asked.reduce((sum, { repetitions }) => sum + repetitions, 0)
  const limit = Math.max(1, Math.floor(SCORES_PER_CHUNK / perCase))
  const cases = await listCases(tx, source, { after: mark.case, limit })
  const last = cases.at(-1)
  if (!last) return { next: LAID_OUT, added: 0 }
  const added = await insertQueuedScores(tx, of, { cases, evaluators: asked, now })
  return { next: { ...mark, case: last.ref }, added }
}
