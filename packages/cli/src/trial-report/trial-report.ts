/** A trial at its end: its variants, and the evaluations of those that were compared with the baseline. */
import type { TrialDetail } from 'touchstone-sdk'
import type { Touchstone } from 'touchstone-sdk/client'
import { comparedRuns } from '../evaluation-report/compared-runs.ts'
import {
  buildReport,
  type EvaluationReport,
  EXIT_OF_OUTCOME,
  type Outcome,
  TURNED_MAX,
} from '../evaluation-report/evaluation-report.ts'
import { type ComparedRuns, readTurnedCases } from '../evaluation-report/read-cases.ts'

export interface TrialReport {
  /** Of the gates of all candidates: worse if one of them is, passed if all of them have. */
  outcome: Outcome
  trial: TrialDetail
  compared: { report: EvaluationReport; runs: ComparedRuns }[]
}

export const EXIT_OF_TRIAL = EXIT_OF_OUTCOME

interface Source {
  trial: TrialDetail
  workspaceId: string
  signal: AbortSignal
}

export async function readTrialReport(
  client: Touchstone,
  { trial, workspaceId, signal }: Source,
): Promise<TrialReport> {
  const componentId = trial.aiComponentId
  const compared: TrialReport['compared'] = []
  for (const { name, evaluationId } of candidatesOf(trial)) {
    if (evaluationId === null) continue
    const evaluation = await client.evaluations.get(componentId, evaluationId, { signal })
    const runs = evaluation.status === 'completed' ? comparedRuns(evaluation, signal) : undefined
    if (!runs) continue
    const path = [workspaceId, 'c', componentId, 'evaluations', evaluationId].map(encodeURIComponent).join('/')
    const url = `${client.baseUrl}/a/${path}`
    const turned = await readTurnedCases(client, runs, TURNED_MAX)
    compared.push({ report: buildReport({ evaluation: { ...evaluation, name }, url, turned }), runs })
  }
  return { outcome: outcomeOf(trial, compared), trial, compared }
}

function candidatesOf({ variants, plan }: TrialDetail) {
  return variants.filter(({ name }) => name !== plan.baseline)
}

/** A candidate without a comparison has no answers, or its evaluation failed: nothing shows that it is not worse. */
function outcomeOf(trial: TrialDetail, compared: TrialReport['compared']): Outcome {
  const hasGate = trial.plan.evaluation !== null && 'gate' in trial.plan.evaluation
  if (!hasGate) return 'noGate'
  const outcomes = compared.map(({ report }) => report.outcome)
  if (outcomes.includes('worse')) return 'worse'
  const isPassed = outcomes.length === candidatesOf(trial).length && outcomes.every((outcome) => outcome === 'passed')
  return isPassed && outcomes.length > 0 ? 'passed' : 'cannotDecide'
}
