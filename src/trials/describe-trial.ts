import type { Clock } from '../base/clock.ts'
import { dollarsOf } from '../spending/spending-limit.ts'
import type { Queries } from '../storage/db.ts'
import { describeLooks, readLooks, whyEnded } from './looks/taken-looks.ts'
import type { Plan } from './read-plan.ts'
import type { Target } from './targets/target.ts'
import { countTrialsBefore, type TrialRow } from './trial-queries.ts'
import type { TrialDetail } from './trial-schemas.ts'
import { findJudgeCosts, listVariants, spentOf, type Variant } from './variant-queries.ts'
import { whyWaiting } from './why-waiting.ts'

/** What is known when all calls and evaluations have ended; by the number of the variant. */
export type TrialResults = {
  durations: Record<string, { median: number; ci: [number, number] | null }>
  comparisons: Record<string, NonNullable<TrialDetail['variants'][number]['comparison']>>
  quality: Record<string, NonNullable<TrialDetail['variants'][number]['quality']>>
  /** Kept when an evaluation is deleted. */
  judges: Record<string, number>
} & Pick<TrialDetail, 'ranking' | 'cheapest' | 'front'>

export const NO_RESULTS: TrialResults = {
  durations: {},
  comparisons: {},
  quality: {},
  judges: {},
  ranking: null,
  cheapest: null,
  front: null,
}

export async function describeTrial({ q, clock }: { q: Queries; clock: Clock }, trial: TrialRow): Promise<TrialDetail> {
  const of = { workspaceId: trial.workspaceId, trialId: trial.id }
  const variants = await listVariants(q, of)
  const plan: Plan = JSON.parse(trial.plan)
  const results: TrialResults = { ...NO_RESULTS, ...JSON.parse(trial.results ?? '{}') }
  const progress = progressOf(variants)
  const taken = readLooks(trial.looks)
  const waitsBehind = trial.status === 'pending' ? await countTrialsBefore(q, of) : 0
  const judges = await judgesOf(q, trial.workspaceId, variants, results)
  return {
    id: trial.id,
    name: trial.name,
    aiComponentId: trial.componentId,
    datasetId: trial.datasetId,
    status: trial.status,
    endedBy: trial.endedBy,
    error: trial.error,
    canceledBy: trial.canceledBy,
    waitsBehind,
    waiting: await whyWaiting({ q, clock }, trial, { variants, waitsBehind }),
    progress,
    variants: variants.map(
      ({ number, name, target, runId, evaluationId, brokenReason, endedBy, nanoUsd, ...counts }) => ({
        name,
        target: describeTarget(target),
        runId,
        evaluationId,
        endedBy,
        total: counts.total,
        done: counts.done,
        failed: counts.failed,
        skipped: counts.skipped,
        costUsd: dollarsOf(nanoUsd),
        judgesUsd: judges.get(number) ?? 0,
        durationMs: results.durations[number] ?? null,
        reason: brokenReason ?? (plan.looks && whyEnded(taken, { number, endedBy }, plan.looks)),
        quality: results.quality[number] ?? null,
        comparison: results.comparisons[number] ?? null,
      }),
    ),
    cost: costOf(variants, { progress, judges, maxNanoUsd: trial.maxNanoUsd }),
    ranking: results.ranking,
    cheapest: results.cheapest,
    front: results.front,
    looks: plan.looks && describeLooks(plan.looks, taken, variants),
    plan: describePlan(plan, variants),
    endsAt: trial.endsAt,
    startedAt: trial.startedAt,
    completedAt: trial.completedAt,
    createdAt: trial.createdAt,
    updatedAt: trial.updatedAt,
  }
}

/** What the judges of each variant have cost, in dollars: of the evaluation that it has, and of those that were replaced. */
export async function judgesOf(
  q: Queries,
  workspaceId: string,
  variants: readonly Variant[],
  { judges }: Pick<TrialResults, 'judges'>,
): Promise<Map<number, number>> {
  const ids = variants.flatMap(({ evaluationId }) => evaluationId ?? [])
  const costs = await findJudgeCosts(q, workspaceId, ids)
  return new Map(
    variants.map(({ number, evaluationId, judgesNanoUsd }) => {
      const now = evaluationId === null ? 0 : costs.get(evaluationId)
      return [number, now === undefined ? (judges[number] ?? 0) : dollarsOf(judgesNanoUsd) + now]
    }),
  )
}

function describePlan(
  { looks, openings: _, correctedFrom: __, rankedBy: ___, ...plan }: Plan,
  variants: readonly Variant[],
): TrialDetail['plan'] {
  return {
    ...plan,
    baseline: variants.find(({ number }) => number === plan.baseline)?.name ?? '',
    stopEarly: looks?.rule === 'sequential',
    plannedLooks: looks?.rule === 'planned' ? looks.sizes.length : null,
  }
}

export function progressOf(variants: readonly Variant[]) {
  const sum = (key: 'total' | 'done' | 'failed' | 'skipped') => variants.reduce((all, one) => all + one[key], 0)
  return { total: sum('total'), done: sum('done'), failed: sum('failed'), skipped: sum('skipped') }
}

type Counts = ReturnType<typeof progressOf>

function costOf(
  variants: readonly Variant[],
  {
    progress,
    judges,
    maxNanoUsd,
  }: { progress: Counts; judges: ReadonlyMap<number, number>; maxNanoUsd: number | null },
): TrialDetail['cost'] {
  const spent = spentOf(variants)
  const { total, done, failed, skipped } = progress
  const ended = done + failed
  return {
    spentUsd: dollarsOf(spent),
    maxUsd: maxNanoUsd === null ? null : dollarsOf(Number(maxNanoUsd)),
    judgesUsd: [...judges.values()].reduce((sum, usd) => sum + usd, 0),
    expectedAtEndUsd: ended === 0 ? null : dollarsOf((spent / ended) * (total - skipped)),
  }
}

function describeTarget(target: Target): TrialDetail['variants'][number]['target'] {
  if (target.type !== 'prompt') return target
  const { provider, model, ...rest } = target
  return { ...rest, ...(provider !== null && { provider }), ...(model !== null && { model }) }
}
