import { timestamp } from '../base/clock.ts'
import type { Estimate } from '../comparisons/evidence/estimate-mean.ts'
import type { Evidence } from '../prompts/evidence-schemas.ts'
import type { Facts } from './conditions.ts'
import type { PromptVersionRef } from './find-version-runs.ts'
import type { EvaluatedRun } from './run-version-queries.ts'

type Result = { passed: boolean; isFromRatings: boolean; summary: string }

/** A copy of everything that the change of a label rests on. */
export function evidenceOf(facts: Facts, { passed, isFromRatings, summary }: Result): Evidence {
  const { compared, gate, pair, comparison, metric, used } = facts
  return {
    decisionId: pair.decisionId,
    dataset: compared.dataset,
    metric: gate.metric,
    margin: gate.margin,
    baseline: sideOf(facts, {
      version: compared.baseline,
      run: pair.baseline,
      id: used.baseline,
      value: metric.baseline,
    }),
    candidate: sideOf(facts, {
      version: compared.candidate,
      run: pair.candidate,
      id: used.candidate,
      value: metric.candidate,
    }),
    verdict: metric.verdict,
    passed,
    summary,
    items: metric.items,
    wins: metric.wins,
    ties: metric.ties,
    losses: metric.losses,
    difference: metric.difference,
    ci: copied(metric.ci),
    marginCi: copied(metric.marginCi),
    ratio: metric.ratio,
    ratioCi: copied(metric.ratioCi),
    confidence: metric.confidence,
    p: metric.test?.pAdjusted ?? null,
    looks: comparison.look.looks,
    rule: comparison.looking.rule,
    warnings: [...comparison.look.warnings],
    isFromRatings,
    comparedAt: timestamp(facts.nowMs),
  }
}

type Side = { version: PromptVersionRef; run: EvaluatedRun; id: string | null; value: Estimate }

function sideOf({ evaluations }: Facts, { version, run, id, value }: Side) {
  const evaluation = evaluations.find((one) => one.id === id)
  return {
    version: version.number,
    runId: run.runId,
    runName: run.runName,
    evaluationId: id,
    evaluatedAt: evaluation?.completedAt ?? null,
    mean: value.mean,
    ci: copied(value.ci),
  }
}

/** A list that may be changed, as schemas describe it. */
function copied(interval: readonly [number, number] | null): number[] | null {
  return interval && [...interval]
}
