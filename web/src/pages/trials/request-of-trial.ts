import type { TrialDetail } from '../../api/generated/api.ts'
import type { NewTrial } from '../../api/trials-query.ts'

/** The request that starts the same trial again. What a look needs is in the config of the evaluations already. */
export function requestOfTrial({ name, datasetId, variants, cost, plan }: TrialDetail): NewTrial {
  const { split, sample, variables, baseline, repetitions, concurrency, maxMinutes, evaluation, ...looks } = plan
  return {
    datasetId,
    ...(name !== null && { name }),
    ...(split !== null && { split }),
    ...(sample !== null && { sample }),
    variants: variants.map((variant) => ({ name: variant.name, target: variant.target })),
    baseline,
    ...(Object.keys(variables).length > 0 && { variables: variables as NonNullable<NewTrial['variables']> }),
    repetitions,
    concurrency,
    ...(cost.maxUsd !== null && { maxCostUsd: cost.maxUsd }),
    maxMinutes,
    ...(looks.stopEarly && { stopEarly: true }),
    ...(looks.plannedLooks !== null && { plannedLooks: looks.plannedLooks }),
    ...(evaluation !== null && { evaluation }),
  }
}
