import { type ProgressDeps, progressEvents } from '../http/event-stream.ts'
import type { Db } from '../storage/db.ts'
import { describeTrial } from './describe-trial.ts'
import { findTrial, type TrialScope } from './trial-queries.ts'

const POLL_MS = 500

export function trialEvents({ db, ...deps }: ProgressDeps & { db: Db }, of: TrialScope): AsyncGenerator<string> {
  return progressEvents(deps, {
    pollMs: POLL_MS,
    deleted: { status: 'failed', endedBy: null, error: 'The trial was deleted' },
    reconnect: 'The trial has not ended; ask for its events again',
    async read() {
      const trial = await findTrial(db.read, of)
      if (!trial) return undefined
      const { status, endedBy, error, progress, variants, cost, waiting } = await describeTrial(
        { q: db.read, clock: deps.clock },
        trial,
      )
      const counted = variants.map(({ name, done, failed, skipped, reason }) => ({
        name,
        done,
        failed,
        skipped,
        reason,
      }))
      const state = { status, progress, variants: counted, spentUsd: cost.spentUsd, judgesUsd: cost.judgesUsd, waiting }
      return { status, progress, state, end: { status, endedBy, error } }
    },
  })
}
