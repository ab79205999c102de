import type { Variables } from '../trials/item-variables.ts'
import type { PromptTarget } from '../trials/targets/prompt-target.ts'
import type { Optimizer } from './search/search.ts'

/** What proposals may change. */
export const OPTIMIZED_PARTS = ['messages', 'toolDescriptions'] as const

export type OptimizedPart = (typeof OPTIMIZED_PARTS)[number]

export const OBJECTIVE_ROLES = ['improve', 'notWorse', 'tieBreak'] as const

export type Objective = {
  /** The name of an evaluator, or `costUsd`. */
  metric: string
  role: (typeof OBJECTIVE_ROLES)[number]
  /** Of `notWorse`: by how much the metric may fall, as a share of its scale. */
  margin: number
}

type Budget = { maxCostUsd: number | null; maxCalls: number; maxMinutes: number; patience: number }

/** What is stored of the request. */
export type ExperimentPlan = {
  optimizer: Optimizer
  /** The start, and what answers the items. */
  target: PromptTarget
  /** The model that proposes; null: as the target. */
  reflection: { provider: string | null; model: string | null }
  variables: Variables
  evaluators: Record<string, unknown>[]
  /** The connection of evaluators that ask a model; null: the default one of the server. */
  provider: string | null
  /** Of the evaluators that the search improves, by name. */
  weights: Record<string, number>
  objectives: Objective[]
  splits: { train: number; validation: number; test: number; seed: number }
  optimize: OptimizedPart[]
  frozen: string[]
  frozenTexts: string[]
  /** The expected answers, if there are only a few: those in the start must stay in it. */
  labels: string[]
  maxPromptTokens: number
  budget: Budget
  finalists: number
  repetitions: number
  concurrency: number
  search: { parents: number; proposals: number; sampleSize: number }
  allowTooFew: boolean
  callsPerAnswer: number
  /** What an answer with its scores will probably cost, and how much of it is the answer; null without a price. */
  expected: { answerUsd: number; taskShare: number } | null
  warnings: string[]
}

/** So many test items are needed for a verdict. */
export const TEST_ITEMS_MIN = 30

/** Of the test split, with all repetitions of the start and the finalists. */
export function testAnswers(plan: Pick<ExperimentPlan, 'finalists' | 'repetitions'>, testItems: number): number {
  return testItems * (1 + plan.finalists) * plan.repetitions
}

/** The limit of calls without what the test split needs. */
export function searchCalls(plan: ExperimentPlan, testItems: number): number {
  return plan.budget.maxCalls - testAnswers(plan, testItems) * plan.callsPerAnswer
}

/** For `readConfig`: the evaluators of the experiment, as those of an evaluation. */
export function evaluationOf({
  evaluators,
  provider,
  budget,
}: Pick<ExperimentPlan, 'evaluators' | 'provider' | 'budget'>) {
  const { maxCostUsd } = budget
  return { evaluators, ...(provider !== null && { provider }), ...(maxCostUsd !== null && { maxCostUsd }) }
}
