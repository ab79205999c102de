import { notFound } from '../base/errors.ts'
import type { EvaluationScope } from '../scores/score-queries.ts'
import type { Queries } from '../storage/db.ts'
import { findEvaluation } from './evaluation-queries.ts'

export type EvaluationInComponent = EvaluationScope & { componentId: string }

/** Returns the evaluation that a path names. Throws 404 if it does not exist or belongs to another component. */
export async function requireEvaluation(q: Queries, { workspaceId, componentId, evaluationId }: EvaluationInComponent) {
  const evaluation = await findEvaluation(q, workspaceId, evaluationId)
  if (!evaluation || evaluation.component_id !== componentId) throw notFound('Evaluation')
  return evaluation
}
