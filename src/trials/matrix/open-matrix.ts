/** Whose calls and which scores a reader of the matrix gets. */
import { listBlindRuns } from '../../annotations/blind-annotation-queries.ts'
import type { Principal } from '../../base/principal.ts'
import { isBlindAmong } from '../../evaluations/results/withhold-ratings.ts'
import type { EvaluatorInfo } from '../../scores/evaluator-info.ts'
import { listRunEvaluations } from '../../scores/run-evaluation-queries.ts'
import { humanRatingEvaluators, readStoredConfig } from '../../scores/stored-config.ts'
import type { Queries } from '../../storage/db.ts'
import { requireVariant } from '../calls/call-routes.ts'
import type { TrialResults } from '../describe-trial.ts'
import type { Plan } from '../read-plan.ts'
import type { TrialRow } from '../trial-queries.ts'
import type { Variant } from '../variant-queries.ts'
import type { MatrixScope, Scored } from './matrix-queries.ts'

type Opening = {
  trial: TrialRow
  variants: readonly Variant[]
  /** The name of the variant whose calls are read; undefined for all. */
  variant: string | undefined
  /** The name of the variant that is compared with the baseline. Default: the best one, or the first. */
  candidate: string | undefined
}

export type OpenMatrix = {
  scope: MatrixScope
  metric: string | null
  candidate: string | null
  /** Null before the first evaluation has ended, and for scores without a scale. */
  scale: EvaluatorInfo['scale']
  higherIsBetter: boolean | null
}

/** Without the scores that the reader must not see: see `withhold-ratings.ts`. */
export async function openMatrix(
  q: Queries,
  { workspaceId, userId }: Principal,
  { trial, variants, variant: name, candidate: candidateName }: Opening,
): Promise<OpenMatrix> {
  const plan: Plan = JSON.parse(trial.plan)
  const variant = name === undefined ? undefined : requireVariant(variants, name)
  const { baseline, candidate } = pairOf({ trial, variants, name: candidateName }, plan)
  const scope = {
    workspaceId,
    trialId: trial.id,
    callsPerItem: variants.length * plan.repetitions,
    variant: variant?.number,
  }
  const config = plan.evaluation && readStoredConfig(JSON.stringify(plan.evaluation))
  const names = config?.evaluators?.map((evaluator) => evaluator.name) ?? []
  const metric = names.find((one) => one === config?.gateMetric) ?? names[0] ?? null
  const evaluationIds = (variant ? [variant] : variants).flatMap(({ evaluationId }) => evaluationId ?? [])
  const open = { metric, candidate: candidate?.name ?? null, scale: null, higherIsBetter: null }
  if (!config || metric === null || evaluationIds.length === 0) return { ...open, scope: { ...scope, scored: null } }
  const isRating = humanRatingEvaluators(config).includes(metric)
  const blindRuns = isRating ? new Set(await listBlindRuns(q, { workspaceId, readerId: userId })) : new Set<string>()
  if (variants.some(({ runId }) => isBlindAmong(blindRuns, { runId, config })))
    return { ...open, scope: { ...scope, scored: null } }
  const info = await findInfo(q, workspaceId, { metric, variants })
  const [baselineId, candidateId] = [baseline?.evaluationId, candidate?.evaluationId]
  const pair =
    info && baselineId && candidateId && variant === undefined
      ? { baselineId, candidateId, higherIsBetter: info.higherIsBetter }
      : undefined
  const scored: Scored = { metric, evaluationIds, pair }
  const { scale = null, higherIsBetter = null } = info ?? {}
  return { ...open, scale, higherIsBetter, scope: { ...scope, scored } }
}

function pairOf(
  { trial, variants, name }: { trial: TrialRow; variants: readonly Variant[]; name: string | undefined },
  plan: Plan,
) {
  const baseline = variants.find(({ number }) => number === plan.baseline)
  const candidates = variants.filter(({ number }) => number !== plan.baseline)
  if (name !== undefined) return { baseline, candidate: requireVariant(variants, name, 'candidate') }
  const { ranking }: Partial<TrialResults> = JSON.parse(trial.results ?? '{}')
  return { baseline, candidate: candidates.find((one) => one.name === ranking?.best) ?? candidates[0] }
}

/** As the evaluation of any variant describes it, because all have the same config; undefined before one has ended. */
async function findInfo(
  q: Queries,
  workspaceId: string,
  { metric, variants }: { metric: string; variants: readonly Variant[] },
): Promise<EvaluatorInfo | undefined> {
  for (const { runId, evaluationId } of variants) {
    if (evaluationId === null) continue
    const evaluations = await listRunEvaluations(q, { workspaceId, runIds: [runId] })
    const info = evaluations.find(({ id }) => id === evaluationId)?.evaluators.get(metric)
    if (info) return info
  }
  return undefined
}
