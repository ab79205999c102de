/**
 * A look at the scores of a trial that stops early: when the calls that it needs have ended, their answers are scored, and what is found
 * of each candidate is stored with what follows from it, in one transaction. Then either more calls may begin, or the trial has ended.
 */
import { timestamp } from '../../base/clock.ts'
import { runInSlices } from '../../base/event-loop.ts'
import { invariant } from '../../base/invariant.ts'
import { readConfig } from '../../evaluations/evaluation-config.ts'
import { compileEvaluators } from '../../evaluations/runner/evaluate-case.ts'
import { readSize } from '../../evaluations/start-evaluation.ts'
import { compileOptionChecks } from '../../evaluators/read-evaluators.ts'
import type { Trialing } from '../runner/trialing.ts'
import { updateTrial } from '../trial-queries.ts'
import { endVariants, type Variant } from '../variant-queries.ts'
import { decideLook } from './decide-look.ts'
import { findLeader } from './find-leader.ts'
import { callsUntil, type LookPlan } from './plan-looks.ts'
import { changesOf, readItemScores } from './read-changes.ts'
import { scoreAnswers } from './score-answers.ts'
import { type FoundVariant, inUnit, leaderInUnit, readLooks, type TakenLook } from './taken-looks.ts'

/** Returns false if there is nothing to look at, or nothing more. */
export async function takeLook(trialing: Trialing, variants: readonly Variant[]): Promise<boolean> {
  const { job, of, plan, trial } = trialing
  if (!plan.looks) return false
  const taken = readLooks(trial.looks)
  const candidates = variants.filter(({ number }) => number !== plan.baseline)
  const isOver = (all: readonly Variant[]) => all.every((one) => one.endedBy !== null || one.brokenReason !== null)
  const look = taken.length
  if (look >= plan.looks.sizes.length || isOver(candidates)) return false
  const found = await findAt(trialing, plan.looks, { look, candidates, variants })
  if (!found) return true
  const perItem = trial.callsTotal / (plan.looks.sizes.at(-1)?.items ?? 1)
  const now = timestamp(job.clock.now())
  const added: TakenLook = { items: plan.looks.sizes[look]?.items ?? 0, takenAt: now, ...found }
  const ended = found.variants.flatMap(({ number, endedBy }) => (endedBy === null ? [] : [{ number, endedBy }]))
  const left = candidates.map((one) => ({
    ...one,
    endedBy: one.endedBy ?? found.variants.find(({ number }) => number === one.number)?.endedBy ?? null,
  }))
  const isLast = look === plan.looks.sizes.length - 1
  const conclusion = isOver(left) && !isLast ? { ended_by: conclude(left) } : {}
  const until = isLast ? trial.callsTotal : callsUntil(plan.looks, look + 1, perItem)
  await job.commit(
    async (tx) => {
      // After the last look there is nothing left to skip.
      if (!isLast) await endVariants(tx, of, ended)
      const looks = JSON.stringify([...taken, added])
      await updateTrial(tx, of, {
        looks,
        ...conclusion,
        ...(!isOver(left) && { calls_until: until }),
        now,
        onlyIf: ['running'],
      })
    },
    { resetAttempts: true },
  )
  return true
}

function conclude(candidates: readonly Variant[]): 'decided' | 'futile' {
  return candidates.some(({ endedBy }) => endedBy === 'decided') ? 'decided' : 'futile'
}

type Looking = { look: number; candidates: readonly Variant[]; variants: readonly Variant[] }

/** By candidate that goes on. Undefined if the job was stopped. */
async function findAt(
  trialing: Trialing,
  looks: LookPlan,
  looking: Looking,
): Promise<Pick<TakenLook, 'variants' | 'leader'> | undefined> {
  const { job, of, plan, trial } = trialing
  const { look, candidates, variants } = looking
  const baselineRunId = variants.find(({ number }) => number === plan.baseline)?.runId
  await compileOptionChecks()
  const config = readConfig(readSize({ ...plan.evaluation, baselineRunId }))
  const evaluator = config.evaluators.find(({ name }) => name === looks.metric)
  const scale = evaluator?.scale
  invariant(evaluator !== undefined && scale != null, 'the plan of looks names an evaluator with a scale')
  await compileEvaluators({ workspaceId: job.workspaceId, config, use: 'evaluation', signal: job.signal })
  const until = callsUntil(looks, look, trial.callsTotal / (looks.sizes.at(-1)?.items ?? 1))
  await scoreAnswers(trialing, { config, evaluator, variants, until })
  if (job.signal.aborted) return undefined
  const scores = await readItemScores(job.db.bulk({ application: job.workspaceId, from: 'job' }), of, until)
  const units = unitsOf([...scores.keys()], looks.unitSizes)
  const changes = candidates.map(({ number }) =>
    changesOf(units, scores, { baseline: plan.baseline, candidate: number }),
  )
  const findings = await runInSlices(
    decideLook(changes, {
      rule: looks.rule,
      sizes: looks.sizes.map(({ units: count }) => count),
      taken: look,
      margin: looks.margin === null ? undefined : looks.margin / (scale[1] - scale[0]),
      seed: of.trialId,
    }),
  )
  const metric = { scale, higherIsBetter: evaluator.higherIsBetter }
  const found = candidates.flatMap((candidate, index): FoundVariant[] => {
    const finding = findings[index]
    if (!finding || candidate.endedBy !== null) return []
    return [{ number: candidate.number, ...inUnit(finding, metric) }]
  })
  const active = candidates.flatMap(({ number, endedBy }, index) => {
    const ofCandidate = changes[index]
    return ofCandidate && endedBy === null ? [{ number, changes: ofCandidate }] : []
  })
  const seen = { units: looks.sizes[look]?.units ?? 0, seed: `${of.trialId}:${look}` }
  const leader = await runInSlices(findLeader(active, seen))
  return { variants: found, leader: leader ? leaderInUnit(leader, metric) : null }
}

/** Without sizes, each item is one unit. */
function unitsOf(items: readonly string[], sizes: readonly number[] | null): string[][] {
  if (sizes === null) return items.map((item) => [item])
  const units: string[][] = []
  for (let from = 0; from < items.length; from += sizes[units.length - 1] ?? items.length)
    units.push(items.slice(from, from + (sizes[units.length] ?? items.length)))
  return units
}
