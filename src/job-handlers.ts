import { annotationPurgeSteps } from './annotations/annotation-purge-steps.ts'
import { comparisonPurgeSteps } from './comparisons/comparison-purge-steps.ts'
import { componentPurgeSteps } from './components/component-purge-steps.ts'
import { connectionPurgeSteps } from './connections/connection-purge-steps.ts'
import { datasetPurgeSteps } from './datasets/dataset-purge-steps.ts'
import { decisionPurgeSteps } from './decisions/decision-purge-steps.ts'
import { endpointPurgeSteps } from './endpoints/endpoint-purge-steps.ts'
import { createEvaluationHandler, type EvaluationDeps } from './evaluations/runner/run-evaluation.ts'
import { experimentPurgeSteps } from './experiments/experiment-purge-steps.ts'
import { createExperimentHandler } from './experiments/runner/run-experiment.ts'
import type { JobHandler } from './jobs/job-handler.ts'
import { promptPurgeSteps } from './prompts/prompt-purge-steps.ts'
import { createPurgeHandler } from './purge/purge-job.ts'
import type { PurgeStep } from './purge/purge-step.ts'
import { runPurgeSteps } from './runs/run-purge-steps.ts'
import { scorePurgeSteps } from './scores/score-purge-steps.ts'
import { spendingPurgeSteps } from './spending/spending-purge-steps.ts'
import { deleteTraceHandler } from './traces/delete-trace.ts'
import { repriceHandler } from './traces/pricing/reprice-traces.ts'
import { retentionHandler } from './traces/retention/clear-old-traces.ts'
import { tracePurgeSteps } from './traces/trace-purge-steps.ts'
import { createTrialHandler } from './trials/runner/run-trial.ts'
import type { TrialDeps } from './trials/runner/trialing.ts'
import { trialPurgeSteps } from './trials/trial-purge-steps.ts'
import { workspacePurgeSteps } from './workspaces/workspace-purge-steps.ts'

/** Every kind of job. Start-up fails if a kind has two handlers. */
export function jobHandlers(evaluations: EvaluationDeps, trials: TrialDeps): readonly JobHandler[] {
  return [
    deleteTraceHandler,
    createEvaluationHandler(evaluations),
    createTrialHandler(trials),
    createExperimentHandler(trials),
    createPurgeHandler(purgeSteps),
    repriceHandler,
    retentionHandler,
  ]
}

/** The rows that a delete leaves behind, children before parents. */
export const purgeSteps: readonly PurgeStep[] = [
  ...experimentPurgeSteps,
  ...trialPurgeSteps,
  ...scorePurgeSteps,
  ...annotationPurgeSteps,
  ...comparisonPurgeSteps,
  ...decisionPurgeSteps,
  ...runPurgeSteps,
  ...datasetPurgeSteps,
  ...tracePurgeSteps,
  ...promptPurgeSteps,
  ...componentPurgeSteps,
  ...connectionPurgeSteps,
  ...endpointPurgeSteps,
  ...spendingPurgeSteps,
  ...workspacePurgeSteps,
]
