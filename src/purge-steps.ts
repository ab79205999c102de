import { annotationPurgeSteps } from './annotations/annotation-purge-steps.ts'
import { comparisonPurgeSteps } from './comparisons/comparison-purge-steps.ts'
import { componentPurgeSteps } from './components/component-purge-steps.ts'
import { connectionPurgeSteps } from './connections/connection-purge-steps.ts'
import { datasetPurgeSteps } from './datasets/dataset-purge-steps.ts'
import { decisionPurgeSteps } from './decisions/decision-purge-steps.ts'
import type { PurgeStep } from './purge/purge-step.ts'
import { runPurgeSteps } from './runs/run-purge-steps.ts'
import { scorePurgeSteps } from './scores/score-purge-steps.ts'
import { tracePurgeSteps } from './traces/trace-purge-steps.ts'
import { workspacePurgeSteps } from './workspaces/workspace-purge-steps.ts'

/** The rows that a delete leaves behind, children before parents. */
export const purgeSteps: readonly PurgeStep[] = [
  ...scorePurgeSteps,
  ...annotationPurgeSteps,
  ...comparisonPurgeSteps,
  ...decisionPurgeSteps,
  ...runPurgeSteps,
  ...datasetPurgeSteps,
  ...tracePurgeSteps,
  ...componentPurgeSteps,
  ...connectionPurgeSteps,
  ...workspacePurgeSteps,
]
