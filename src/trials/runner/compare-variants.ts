/** The comparisons of the variants of a trial as one family, and what follows for the choice of one of them. */
import { AppError } from '../../base/errors.ts'
import { decideFamily, type FamilyMember, measureFamily } from '../../comparisons/compare-family.ts'
import { RATING_METRIC } from '../../comparisons/pairing/compared-metrics.ts'
import { type FamilyRanking, rankFamily } from '../../comparisons/ranking/rank-family.ts'
import { openTestSetOf, recordComparisonLook } from '../../comparisons/record-comparison-look.ts'
import { countOtherOpenings } from '../../datasets/splits/split-queries.ts'
import { trialSubject } from '../../datasets/splits/test-openings.ts'
import { humanRatingEvaluators, readStoredConfig } from '../../scores/stored-config.ts'
import { NO_RESULTS, type TrialResults } from '../describe-trial.ts'
import { readLooks, verdictOfLooks } from '../looks/taken-looks.ts'
import type { Variant } from '../variant-queries.ts'
import type { Trialing } from './trialing.ts'

type Durations = TrialResults['durations']
type Compared = { members: FamilyMember[]; ranking: FamilyRanking | null }

export async function compareVariants(
  trialing: Trialing,
  variants: readonly Variant[],
  durations: Durations,
): Promise<Omit<TrialResults, 'durations' | 'judges'>> {
  const { durations: _, judges: __, ...nothing } = NO_RESULTS
  const looked = comparisonsOfLooks(trialing, variants)
  const evaluated = variants.filter(({ evaluationId, done }) => evaluationId !== null && done > 0)
  const baseline = evaluated.find(({ number }) => number === trialing.plan.baseline)
  const candidates = evaluated.filter(({ number }) => number !== trialing.plan.baseline)
  if (!baseline || candidates.length === 0) return { ...nothing, comparisons: looked ?? {} }
  const compared = await compare(trialing, { baseline, candidates, durations })
  // All readers get the same, and some of them must not know the ratings of others.
  if (!compared || restsOnRatings(trialing, compared)) return { ...nothing, comparisons: looked ?? {} }
  const comparisons: TrialResults['comparisons'] = {}
  for (const { candidate, verdict, summary, metrics } of compared.members) {
    const variant = candidates.find(({ runId }) => runId === candidate.runId)
    const ranked = metrics.find(({ name }) => name === compared.ranking?.metric)
    const { difference = null, ci = null } = ranked ?? {}
    if (variant) comparisons[variant.number] = { verdict, summary, difference, ci: endsOf(ci) }
  }
  const known = { ...nothing, comparisons: looked ?? comparisons }
  if (!compared.ranking) return known
  const quality = qualityOf(compared.ranking, [baseline, ...candidates])
  return { ...known, quality, ...describeRanking(compared.ranking) }
}

/** What the looks have found stands: the same items are not decided again by the rule for one look. */
function comparisonsOfLooks(
  { plan, trial }: Trialing,
  variants: readonly Variant[],
): TrialResults['comparisons'] | undefined {
  const baseline = variants.find(({ number }) => number === plan.baseline)
  const { looks } = plan
  if (!looks || !baseline) return undefined
  const taken = readLooks(trial.looks)
  return Object.fromEntries(
    variants.flatMap((candidate) => {
      const found = candidate === baseline ? undefined : verdictOfLooks(looks, taken, { candidate, baseline })
      return found ? [[candidate.number, found]] : []
    }),
  )
}

function restsOnRatings({ plan }: Trialing, { members }: Compared): boolean {
  const config = readStoredConfig(JSON.stringify(plan.evaluation))
  const hidden = new Set([RATING_METRIC, ...humanRatingEvaluators(config)])
  return members.some(({ metrics }) => metrics.some(({ name }) => hidden.has(name)))
}

type Sides = { baseline: Variant; candidates: readonly Variant[]; durations: Durations }

/** As one family, so that the best of many variants is not called better by chance. Each comparison is a look at its runs. */
async function compare(
  { job, of, trial, plan }: Trialing,
  { baseline, candidates, durations }: Sides,
): Promise<Compared | undefined> {
  const { db, clock, workspaceId } = job
  const gate: { metric?: unknown; margin?: unknown } = Object(plan.evaluation?.gate)
  const margin = typeof gate.margin === 'number' ? gate.margin : undefined
  const metric = typeof gate.metric === 'string' ? gate.metric : plan.rankedBy
  const request = {
    workspaceId,
    componentId: trial.componentId,
    baselineRunId: baseline.runId,
    candidateRunIds: candidates.map(({ runId }) => runId),
    margin,
    split: plan.split ?? undefined,
  }
  try {
    const family = await measureFamily(db.bulk({ application: workspaceId, from: 'job' }), request)
    // Runs are named after their trial, too, which everyone who reads its sentences knows.
    const runs = family.runs.map((run, place) => ({
      ...run,
      names: { baseline: baseline.name, candidate: candidates[place]?.name ?? run.names.candidate },
    }))
    const members = decideFamily({ ...family, runs }, await openingsOf({ job, of, trial, plan }))
    for (const { dataset, look, ...comparison } of members) {
      await recordComparisonLook(db, clock, look)
      await openTestSetOf({ db, clock }, { workspaceId, dataset, ...comparison })
    }
    const side = ({ name, number }: Variant) => ({ name, latencyMs: durations[number]?.median ?? null })
    const sides = { baseline: side(baseline), candidates: candidates.map(side) }
    return { members, ranking: await rankFamily(family, { ...sides, metric, margin, seed: of.trialId }) }
  } catch (error) {
    // A run was deleted meanwhile, or its evaluation failed: the variants then have no comparison.
    if (error instanceof AppError && error.status < 500) return undefined
    throw error
  }
}

/** Counted when it decides: other choices by the same items may have been made while the trial ran. */
async function openingsOf({ job, of, trial, plan }: Pick<Trialing, 'job' | 'of' | 'trial' | 'plan'>) {
  if (plan.correctedFrom === undefined) return plan.openings
  const { workspaceId, datasetId } = trial
  const others = await countOtherOpenings(job.db.read, { workspaceId, datasetId, subject: trialSubject(of.trialId) })
  return others + 1 >= plan.correctedFrom ? others + 1 : undefined
}

function qualityOf(
  { variants: measured, items }: FamilyRanking,
  variants: readonly Variant[],
): TrialResults['quality'] {
  const quality: TrialResults['quality'] = {}
  for (const { name, quality: of, costUsd } of measured) {
    const variant = variants.find((one) => one.name === name)
    if (variant) quality[variant.number] = { mean: of.mean, ci: endsOf(of.ci), items, costUsd }
  }
  return quality
}

function endsOf(ci: readonly [number, number] | null): [number, number] | null {
  return ci === null ? null : [ci[0], ci[1]]
}

function describeRanking({ best, metric, higherIsBetter, summary, expectedOnNew, cheapest, front }: FamilyRanking) {
  return {
    ranking: {
      best,
      metric,
      higherIsBetter,
      summary,
      expectedOnNew: expectedOnNew && { ...expectedOnNew, ci: endsOf(expectedOnNew.ci) },
    },
    cheapest: cheapest && { variant: cheapest.name, summary: cheapest.summary },
    front: front.map(({ name, quality, costUsd, latencyMs }) => ({
      variant: name,
      quality: { mean: quality.mean, ci: endsOf(quality.ci) },
      costUsd,
      durationMs: latencyMs,
    })),
  }
}
