/** Reads what the search knows, from the rows of the experiment. */
import { nanosOf } from '../../spending/spending-limit.ts'
import type { Queries } from '../../storage/db.ts'
import { type CallValue, listCallValues, listReflections } from '../calls/experiment-call-queries.ts'
import { type ExperimentPlan, searchCalls, testAnswers } from '../experiment-plan.ts'
import type { ExperimentItems, ExperimentScope } from '../experiment-queries.ts'
import { type IterationRow, listIterations } from '../iteration-queries.ts'
import type { Proposed, Search } from '../search/search.ts'
import { validationOrder } from './validation-order.ts'

export type StoredSearch = { search: Search; calls: CallValue[]; iterations: IterationRow[] }

export async function readSearch(
  q: Queries,
  of: ExperimentScope,
  { plan, items }: { plan: ExperimentPlan; items: ExperimentItems },
): Promise<StoredSearch> {
  const iterations = await listIterations(q, of)
  const calls = await listCallValues(q, of)
  const proposals = new Map([...(await listReflections(q, of))].map(([number, text]) => [number, readProposed(text)]))
  const values = new Map(calls.map((call) => [`${call.iteration} ${call.itemId}`, call.value]))
  const planned = calls.reduce((sum, { kind }) => sum + (kind === 'reflection' ? 1 : plan.callsPerAnswer), 0)
  const callsMax = searchCalls(plan, items.test)
  const search: Search = {
    settings: {
      optimizer: plan.optimizer,
      seed: plan.splits.seed,
      train: items.train,
      validation: validationOrder(items.validation, plan.splits.seed),
      ...plan.search,
      patience: plan.budget.patience,
      callsPerAnswer: plan.callsPerAnswer,
    },
    candidates: iterations,
    valueFor: (candidate, itemId) => values.get(`${candidate} ${itemId}`),
    proposedFor: (candidate) => proposals.get(candidate),
    callsLeft: callsMax - planned,
    shareLeft: Math.min(1 - planned / callsMax, costShareLeft(plan, calls, items.test)),
  }
  return { search, calls, iterations }
}

/** Of what the test, as it was estimated, leaves to the search. */
function costShareLeft(plan: ExperimentPlan, calls: readonly CallValue[], testItems: number): number {
  const { maxCostUsd } = plan.budget
  if (maxCostUsd === null) return 1
  const limit = nanosOf(maxCostUsd - (plan.expected?.answerUsd ?? 0) * testAnswers(plan, testItems))
  return 1 - calls.reduce((sum, { nanoUsd }) => sum + nanoUsd, 0) / Math.max(1, limit)
}

function readProposed(text: string): Proposed {
  return JSON.parse(text)
}
