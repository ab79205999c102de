/** What the steps of an experiment share. */
import type { EvaluationConfig } from '../../evaluations/evaluation-config.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import type { CircuitBreaker } from '../../spending/circuit-breaker.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import type { Flight } from '../../trials/runner/call-budget.ts'
import type { createPool } from '../../trials/runner/pool.ts'
import type { TrialDeps } from '../../trials/runner/trialing.ts'
import type { OpenPrompt } from '../../trials/targets/prompt-target.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import type { ExperimentItems, ExperimentRow, ExperimentScope } from '../experiment-queries.ts'

export type ExperimentDeps = TrialDeps

export type Running = {
  job: JobRun
  deps: ExperimentDeps
  of: ExperimentScope
  experiment: ExperimentRow
  plan: ExperimentPlan
  items: ExperimentItems
  hardStop: AbortSignal
  softStop: AbortSignal
}

/** The models of an experiment, open for calls. */
export type Models = {
  prompt: OpenPrompt
  target: ModelSession
  reflection: { session: ModelSession; model: string; connection: { id: string; kind: string; name: string } }
  /** Undefined if no evaluator asks a model. */
  judges: ModelSession | undefined
  config: EvaluationConfig
  breaker: CircuitBreaker
}

export type Sending = Running & {
  models: Models
  flight: Flight
  pool: ReturnType<typeof createPool>
  /** What the search may spend: the limit without what the test split needs. Null without a limit. */
  limitNanoUsd: number | null
  isOver(): boolean
}

export type End = 'ended' | { overBudget: string }
