import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { ModelAccess } from '../connections/model-access.ts'
import { createHostLimits } from '../llm/host-limits.ts'
import { createPricer } from '../traces/pricing/price-usage.ts'
import type { TryDeps } from './runner/try-cases.ts'

const MODEL_TIMEOUT_MS = 60_000
const RETRY_PAUSE_MS = 1_000
const PAUSE_SECONDS = 1
/** Proxies commonly end a request after a minute. */
const PREVIEW_TIMEOUT_MS = 55_000

type EvaluationSettings = {
  access: ModelAccess
  clock: Clock
  log: Logger
  modelTimeoutMs?: number
  retryPauseMs?: number
  pauseSeconds?: number
  previewTimeoutMs?: number
}

/** What evaluations and previews of this process share, such as the limits of connections. */
export function createEvaluationDeps({ access, clock, log, ...settings }: EvaluationSettings): TryDeps {
  const { modelTimeoutMs = MODEL_TIMEOUT_MS, retryPauseMs = RETRY_PAUSE_MS } = settings
  const { previewTimeoutMs = PREVIEW_TIMEOUT_MS, pauseSeconds = PAUSE_SECONDS } = settings
  const hostLimits = createHostLimits({ clock })
  return {
    access,
    log,
    hostLimits,
    pricer: createPricer(),
    callTimeoutMs: modelTimeoutMs,
    retryPauseMs,
    pauseSeconds,
    previewTimeoutMs,
  }
}
