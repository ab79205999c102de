import { type ProgressDeps, progressEvents } from '../http/event-stream.ts'
import { dollarsOf } from '../spending/spending-limit.ts'
import type { Db } from '../storage/db.ts'
import { progressOf } from './describe-experiment.ts'
import { type ExperimentScope, findExperiment } from './experiment-queries.ts'
import { listIterations } from './iteration-queries.ts'

const POLL_MS = 500
/** An experiment that has failed leaves its calls open, because it can be resumed: no end of theirs is awaited. */
const NOTHING_OPEN = { total: 0, done: 0, failed: 0, skipped: 0 }

/** Ends when the experiment does; one that waits for its start or its test goes on. */
export function experimentEvents(
  { db, ...deps }: ProgressDeps & { db: Db },
  of: ExperimentScope,
): AsyncGenerator<string> {
  return progressEvents(deps, {
    pollMs: POLL_MS,
    deleted: { status: 'failed', endedBy: null, error: 'The experiment was deleted' },
    reconnect: 'The experiment has not ended; ask for its events again',
    async read() {
      const experiment = await findExperiment(db.read, of)
      if (!experiment) return undefined
      const { status, phase, endedBy, error, spentNanoUsd } = experiment
      const progress = await progressOf(db.read, of, await listIterations(db.read, of))
      const state = { status, phase, endedBy, progress, spentUsd: dollarsOf(spentNanoUsd) }
      return { status, progress: NOTHING_OPEN, state, end: { status, endedBy, error } }
    },
  })
}
