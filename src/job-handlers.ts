import { evaluationHandler } from './evaluations/run-evaluation.ts'
import type { JobHandler } from './jobs/job-handler.ts'
import { reclaimHandler } from './workspaces/reclaim.ts'

/** Every kind of job. Start-up fails if a kind has two handlers. */
export const JOB_HANDLERS: readonly JobHandler[] = [evaluationHandler, reclaimHandler]
