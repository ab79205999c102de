/** Reads what the search knows, from the rows of the experiment. */
import type { Queries } from '../../storage/db.ts'
import { type CallValue, listCallValues, listReflections } from '../calls/experiment-call-queries.ts'
import { type ExperimentPlan, searchCalls } from '../experiment-plan.ts'
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
  const search: Search = {
    settings: {
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
    callsLeft: searchCalls(plan, items.test) - planned,
  }
  return { search, calls, iterations }
}

function readProposed(text: string): Proposed {
  return JSON.parse(text)
}
