import { createEvaluationHandler, type EvaluationDeps } from './evaluations/runner/run-evaluation.ts'
import type { JobHandler } from './jobs/job-handler.ts'
import { createPurgeHandler } from './purge/purge-job.ts'
import { purgeSteps } from './purge-steps.ts'
import { deleteTraceHandler } from './traces/delete-trace.ts'
import { repriceHandler } from './traces/pricing/reprice-traces.ts'
import { retentionHandler } from './traces/retention/clear-old-traces.ts'

/** Every kind of job. Start-up fails if a kind has two handlers. */
export function jobHandlers(evaluations: EvaluationDeps): readonly JobHandler[] {
  return [
    deleteTraceHandler,
    createEvaluationHandler(evaluations),
    createPurgeHandler(purgeSteps),
    repriceHandler,
    retentionHandler,
  ]
}
