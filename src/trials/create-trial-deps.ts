import type { Clock } from '../base/clock.ts'
import type { NewId } from '../base/ids.ts'
import type { Logger } from '../base/log.ts'
import { createIngest } from '../ingestion/ingest-spans.ts'
import { createTraceLinker } from '../ingestion/link-arrived-traces.ts'
import type { ModelDeps } from '../spending/model-session.ts'
import type { Db } from '../storage/db.ts'
import { createQuotas, type QuotaLimits } from '../workspaces/quotas.ts'
import { createBackoff } from './runner/backoff.ts'
import type { TrialDeps } from './runner/trialing.ts'

/** Of one call: a long answer of a slow model. */
const CALL_TIMEOUT_MS = 300_000
const PAUSE_SECONDS = 2

type TrialSettings = {
  config: { quotas: QuotaLimits }
  storage: Db
  clock: Clock
  newId: NewId
  log: Logger
  /** The limits of connections are shared with evaluations. */
  evaluations: ModelDeps & { retryPauseMs: number }
  modelTimeoutMs?: number
  pauseSeconds?: number
}

/** What the trials of this process share. They store traces, also in a process that serves no requests. */
export function createTrialDeps({
  config,
  storage,
  clock,
  newId,
  log,
  evaluations,
  ...settings
}: TrialSettings): TrialDeps {
  const quotas = createQuotas({ limits: config.quotas, clock })
  const linker = createTraceLinker({ clock, newId })
  const { access, hostLimits, pricer, retryPauseMs } = evaluations
  return {
    access,
    hostLimits,
    pricer,
    retryPauseMs,
    callTimeoutMs: settings.modelTimeoutMs ?? CALL_TIMEOUT_MS,
    ingest: createIngest({ db: storage, clock, newId, linker, quotas }),
    quotas,
    log,
    backoff: createBackoff(clock, retryPauseMs),
    pauseSeconds: settings.pauseSeconds ?? PAUSE_SECONDS,
  }
}
