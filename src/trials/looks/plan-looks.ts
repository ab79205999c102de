/** When a trial looks at its scores, by which evaluator, and in which order its items are answered. */
import { badRequest } from '../../base/errors.ts'
import { readDuplicates, readItemGroups } from '../../datasets/items/item-groups.ts'
import type { EvaluationConfig } from '../../evaluations/evaluation-config.ts'
import { asksModel, type Evaluator, isExternal } from '../../evaluators/evaluator.ts'
import { lookSizes, seededOrder } from '../../statistics/sequential/look-order.ts'
import type { Queries } from '../../storage/db.ts'
import type { StartTrial } from '../start-trial-schemas.ts'

/** `sequential` looks by e-values and also ends what is futile; `planned` spends the 5 % over the looks. */
export type LookPlan = {
  rule: 'sequential' | 'planned'
  metric: string
  /** In the unit of the metric. */
  margin: number | null
  /** After so many items there is a look. Items of a group, and copies of a question, are one unit. */
  sizes: { items: number; units: number }[]
  /** The items of each unit, in the order of the calls; null if each item is one. */
  unitSizes: number[] | null
}

type Looking = Pick<StartTrial, 'stopEarly' | 'plannedLooks'>

/** What the evaluations of the runs must know: their comparisons are read as one of several looks. */
export function evaluationWithLooks(
  evaluation: Record<string, unknown> | null,
  { stopEarly, plannedLooks, items }: Looking & { items: number },
): Record<string, unknown> | null {
  if (evaluation === null) return null
  if (plannedLooks !== undefined) return { ...evaluation, plannedLooks, plannedItems: items }
  return stopEarly ? { ...evaluation, sequential: true } : evaluation
}

export function rejectBothRules({ stopEarly, plannedLooks }: Looking): void {
  if (stopEarly && plannedLooks !== undefined)
    throw badRequest('The fields stopEarly and plannedLooks are two rules for looks while the trial runs; set one')
}

type Planning = Looking & {
  workspaceId: string
  datasetId: string
  itemIds: readonly string[]
  variants: number
  config: EvaluationConfig | undefined
}

/** Null if the trial looks only at its end. Throws 400 if it cannot look before. */
export async function planLooks(
  q: Queries,
  { stopEarly, plannedLooks, config, variants, itemIds, ...dataset }: Planning,
): Promise<{ looks: LookPlan; itemIds: string[] } | null> {
  if (!stopEarly && plannedLooks === undefined) return null
  const field = stopEarly ? 'stopEarly' : 'plannedLooks'
  if (variants < 2) throw badRequest(`The field ${field} compares variants with the baseline; add a second variant`)
  const metric = chooseMetric(config, field)
  const unitOf = await readUnits(q, dataset)
  const ordered = seededOrder(itemIds, { seed: `looks:${dataset.datasetId}`, groupOf: unitOf })
  const ends = endsOfUnits(ordered, unitOf)
  const sizes = lookSizes(ends.length, plannedLooks).map((units) => ({ units, items: ends[units - 1] ?? 0 }))
  if (sizes.length === 0)
    throw badRequest(
      `The field ${field} needs at least 10 different items or groups, because fewer decide nothing, and there are ${ends.length}; add items, or leave it out`,
    )
  const rule = stopEarly ? ('sequential' as const) : ('planned' as const)
  const unitSizes = ends.length === ordered.length ? null : ends.map((end, unit) => end - (ends[unit - 1] ?? 0))
  return { looks: { rule, metric, margin: config?.gate?.margin ?? null, sizes, unitSizes }, itemIds: ordered }
}

/** The last call that may begin before a look. */
export function callsUntil({ sizes }: LookPlan, look: number, callsPerItem: number): number {
  return (sizes[look]?.items ?? 0) * callsPerItem
}

/** The metric of the gate, else the first evaluator. */
function chooseMetric(config: EvaluationConfig | undefined, field: string): string {
  if (!config || config.isByDefault)
    throw badRequest(
      `The field ${field} looks at scores while the trial runs; set "evaluation" with "evaluators", the deciding one first`,
    )
  const name = config.gate?.metric ?? config.evaluators[0]?.name
  const evaluator = config.evaluators.find((one) => one.name === name)
  const remedy = 'name another evaluator in evaluation.gate.metric, or put it first'
  if (!evaluator)
    throw badRequest(
      `The field ${field} looks at the scores of an evaluator, and ${name} is none of evaluation.evaluators; ${remedy}`,
    )
  const reason = whyNot(evaluator)
  if (reason !== undefined)
    throw badRequest(`The field ${field} cannot look at ${evaluator.name}, because ${reason}; ${remedy}`)
  return evaluator.name
}

function whyNot(evaluator: Evaluator): string | undefined {
  if (asksModel(evaluator)) return 'it asks a model, which judges only what the trial has finished'
  if (isExternal(evaluator)) return 'its scores are delivered after the trial'
  if (evaluator.needs.includes('ratings')) return 'people rate only what the trial has finished'
  if (evaluator.scale === null || evaluator.kind === 'categorical')
    return 'it has no scale from a lowest to a highest score'
  return undefined
}

/** Items of a group are not independent, and copies of a question are one item. */
async function readUnits(q: Queries, dataset: { workspaceId: string; datasetId: string }) {
  const groups = await readItemGroups(q, dataset)
  const sameAs = await readDuplicates(q, dataset)
  return (itemId: string) => {
    const first = sameAs.get(itemId) ?? itemId
    return groups?.groupOf(first) ?? first
  }
}

/** How many items the first units have. */
function endsOfUnits(ordered: readonly string[], unitOf: (itemId: string) => string): number[] {
  return [...ordered.keys()]
    .filter(
      (place) => place + 1 === ordered.length || unitOf(ordered[place] ?? '') !== unitOf(ordered[place + 1] ?? ''),
    )
    .map((place) => place + 1)
}
