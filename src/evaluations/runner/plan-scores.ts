/**
 * Plans an evaluation: inserts one queued score per case, evaluator and repetition, so that every case has a state
 * from the start. Each chunk is one transaction that also moves a mark (`planned_to`). After a crash the next worker
 * continues at the mark, and no score is planned twice.
 *
 * A retry walks over the failed scores in the same way. If the evaluation had finished before the plan was complete,
 * the retry first walks over the failed scores and then plans from the start; scores that exist stay unchanged.
 */
import { timestamp } from '../../base/clock.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { type EvaluationScope, insertQueuedScores } from '../../scores/score-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { type EvaluationConfig, repetitionsByEvaluator } from '../evaluation-config.ts'
import { type CaseSource, listSplitCases } from './case-queries.ts'
import { lockPlan, markPlanned, requeueFailed } from './plan-queries.ts'

/** Requests wait for a commit, so it is limited to about the duration of one request. */
const SCORES_PER_CHUNK = 150

/** The phase of the plan, and the last case that it has reached. It is stored as `phase:case`. */
type Mark = { phase: Phase; case: string }
type Phase = (typeof PHASES)[number]

/** `waiting`: planned, and only external scores are pending. */
const PHASES = ['planning', 'trying again', 'resuming', 'planned', 'waiting'] as const
/** The words in rows that older versions wrote. */
const OLD_PHASES = new Map<string, Phase>([
  ['laying out', 'planning'],
  ['laid out', 'planned'],
])

const PLANNING: Mark = { phase: 'planning', case: '' }
const PLANNED: Mark = { phase: 'planned', case: '' }

/** Where the retry of a finished evaluation starts. */
export function retryMark({ status, planned_to: plannedTo }: { status: string; planned_to: string | null }) {
  const { phase } = readMark(plannedTo)
  const isComplete = status === 'completed' || isPlanned(phase) || phase === 'trying again'
  return writeMark({ phase: isComplete ? 'trying again' : 'resuming', case: '' })
}

/** The mark of an evaluation that has only external scores left to wait for. */
export const WAITING_MARK = writeMark({ phase: 'waiting', case: '' })

/** What the mark of an evaluation says about scores that clients deliver. */
export function readPlan(plannedTo: string | null) {
  const { phase } = readMark(plannedTo)
  return {
    /** False while scores may still be added. */
    isPlanned: isPlanned(phase) || phase === 'trying again',
    /** True while failed scores may still have to be queued again. */
    isRetrying: phase === 'trying again' || phase === 'resuming',
    isWaiting: phase === 'waiting',
  }
}

function isPlanned(phase: Phase): boolean {
  return phase === 'planned' || phase === 'waiting'
}

function writeMark({ phase, case: ref }: Mark): string {
  return `${phase}:${ref}`
}

function readMark(text: string | null): Mark {
  if (text === null) return PLANNING
  const [word = '', ...rest] = text.split(':')
  const phase = OLD_PHASES.get(word) ?? PHASES.find((one) => one === word) ?? 'planning'
  return { phase, case: rest.join(':') }
}

type PlanInput = EvaluationScope & { source: CaseSource; config: EvaluationConfig }

export async function planScores(job: JobRun, input: PlanInput): Promise<void> {
  while (!job.signal.aborted) {
    const mark = await job.commit(async (tx) => {
      // Finished or deleted in the meantime: new scores would only have to be purged.
      const plan = await lockPlan(tx, input)
      if (!plan) return PLANNED
      const now = timestamp(job.clock.now())
      const { plannedTo, retries } = plan
      const { next, added } = await planChunk(tx, { ...input, mark: readMark(plannedTo), retries, now })
      await markPlanned(tx, input, { plannedTo: writeMark(next), added })
      return next
    })
    if (isPlanned(mark.phase)) return
    await yieldToEventLoop()
  }
}

/** Returns the new mark and the number of scores added. */
async function planChunk(
  tx: Queries,
  { mark, retries, now, source, config, ...of }: PlanInput & { mark: Mark; retries: number; now: string },
): Promise<{ next: Mark; added: number }> {
  if (isPlanned(mark.phase)) return { next: mark, added: 0 }
  if (mark.phase !== 'planning') {
    const last = await requeueFailed(tx, of, { after: mark.case, limit: SCORES_PER_CHUNK, retries })
    if (last !== undefined) return { next: { ...mark, case: last }, added: 0 }
    return { next: mark.phase === 'resuming' ? PLANNING : PLANNED, added: 0 }
  }
  const evaluators = repetitionsByEvaluator(config)
  const perCase = evaluators.reduce((sum, { repetitions }) => sum + repetitions, 0)
  const limit = Math.max(1, Math.floor(SCORES_PER_CHUNK / perCase))
  const { cases, last } = await listSplitCases(tx, source, { after: mark.case, limit })
  if (last === undefined) return { next: PLANNED, added: 0 }
  const added = await insertQueuedScores(tx, of, { cases, evaluators, now })
  return { next: { ...mark, case: last }, added }
}
