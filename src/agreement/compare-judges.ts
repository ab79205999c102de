import { runInSlices } from '../base/event-loop.ts'
import { listJudges } from '../scores/judge-queries.ts'
import { judgeAccuracy } from '../statistics/agreement/judge-accuracy.ts'
import { formatFixed } from '../statistics/interval.ts'
import type { Queries } from '../storage/db.ts'
import type { JudgedEvaluation, VisibilityFilter } from './agreement-queries.ts'
import { insufficientLabelsReason, type Label, listJudgeLabels } from './judge-labels.ts'
import { COHEN_KAPPA } from './rater-pairs.ts'

const METHOD = `Wilson score intervals; ${COHEN_KAPPA}`

/**
 * Measures how well the evaluators of these evaluations, which are newest first, agree with the ratings of users. Evaluators
 * of the same name in several runs are merged; of one run the newest counts.
 */
export async function compareJudges(
  q: Queries,
  { workspaceId, isVisible }: { workspaceId: string } & VisibilityFilter,
  evaluations: readonly JudgedEvaluation[],
) {
  const labels = new Map<string, Label[]>()
  const judged = new Set<string>()
  for (const { id: evaluationId, runId, config } of evaluations) {
    for (const { evaluator } of await listJudges(q, { workspaceId, evaluationId }, config)) {
      const judge = JSON.stringify([runId, evaluator])
      if (judged.has(judge)) continue
      judged.add(judge)
      const found = await listJudgeLabels(q, { workspaceId, evaluationId, evaluator, isVisible })
      labels.set(evaluator, [...(labels.get(evaluator) ?? []), ...found])
    }
  }
  const sorted = [...labels].sort(([a], [b]) => (a < b ? -1 : 1))
  return Promise.all(sorted.map(([evaluator, found]) => measureJudge(evaluator, found)))
}

async function measureJudge(evaluator: string, labels: readonly Label[]) {
  const shared = labels.length
  const tooFew = insufficientLabelsReason(labels)
  if (tooFew !== undefined) return { evaluator, shared, ...NO_ESTIMATES, method: METHOD, summary: tooFew }
  const { sensitivity, specificity, agreement, kappa, kappaInterval } = await runInSlices(judgeAccuracy(labels))
  return {
    evaluator,
    shared,
    kappa: kappa ?? null,
    kappaCi: kappaInterval ?? null,
    agreement: agreement?.value ?? null,
    agreementCi: agreement?.interval ?? null,
    sensitivity: sensitivity?.value ?? null,
    sensitivityCi: sensitivity?.interval ?? null,
    sensitivityN: sensitivity?.n ?? 0,
    specificity: specificity?.value ?? null,
    specificityCi: specificity?.interval ?? null,
    specificityN: specificity?.n ?? 0,
    method: METHOD,
    summary:
      summaryOf(evaluator, shared, { agreement: agreement?.value ?? 0, kappa, kappaInterval }) + resolvedIn(labels),
  }
}

const NO_ESTIMATES = {
  kappa: null,
  kappaCi: null,
  agreement: null,
  agreementCi: null,
  sensitivity: null,
  sensitivityCi: null,
  sensitivityN: 0,
  specificity: null,
  specificityCi: null,
  specificityN: 0,
}

function summaryOf(
  evaluator: string,
  shared: number,
  {
    agreement,
    kappa,
    kappaInterval,
  }: { agreement: number; kappa: number | undefined; kappaInterval: readonly [number, number] | undefined },
): string {
  const agrees = `${evaluator} agrees with the raters on ${Math.round(agreement * 100)} % of ${shared} traces`
  if (kappa === undefined) return `${agrees}; κ is undefined because all labels are equal.`
  const interval = kappaInterval ? `, 95 % CI ${kappaInterval.map((end) => formatFixed(end, 2)).join(' to ')}` : ''
  return `${agrees} (κ ${formatFixed(kappa, 2)}${interval}).`
}

function resolvedIn(labels: readonly Label[]): string {
  const resolved = labels.filter(({ isResolved }) => isResolved).length
  if (resolved === 0) return ''
  return resolved === 1 ? ' 1 label is a resolved disagreement.' : ` ${resolved} labels are resolved disagreements.`
}
