/** What the phases of a trial share. */
import type { Logger } from '../../base/log.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import type { ModelDeps } from '../../spending/model-session.ts'
import type { Quotas } from '../../workspaces/quotas.ts'
import type { EndDeps } from '../calls/end-call.ts'
import type { Plan } from '../read-plan.ts'
import type { TrialRow, TrialScope } from '../trial-queries.ts'
import type { Backoff } from './backoff.ts'

export type TrialDeps = ModelDeps &
  Omit<EndDeps, 'clock' | 'newId'> & { log: Logger; quotas: Quotas; backoff: Backoff; pauseSeconds: number }

type Stops = { hardStop: AbortSignal; softStop: AbortSignal }

/** What all phases need. */
export type Trialing = {
  job: JobRun
  deps: TrialDeps & EndDeps
  trial: TrialRow
  plan: Plan
  of: TrialScope
} & Stops

/** Why a trial gets no more calls. */
export type EndedBy = { endedBy: 'budget' | 'time' | 'decided' | 'futile'; reason: string }
