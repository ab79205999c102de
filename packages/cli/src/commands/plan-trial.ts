import type { Touchstone } from 'touchstone-sdk/client'
import { requirePrompt } from '../prompts/find-prompt.ts'
import { type Fields, findDatasetId, isFields, type Plan, type PlanScope, withEvaluators } from './plan-file.ts'

type TrialBody = Parameters<Touchstone['trials']['create']>[1]

/** Replaces names by ids. The server checks everything else. */
export async function resolveTrialPlan(plan: Plan, scope: PlanScope): Promise<TrialBody> {
  const { fields } = plan
  const datasetId = await findDatasetId(plan, scope)
  const { variants, grid, evaluation } = fields
  const body = {
    ...fields,
    ...(datasetId !== undefined && { datasetId }),
    ...(Array.isArray(variants) && { variants: await Promise.all(variants.map((one) => ofVariant(one, scope))) }),
    ...(isFields(grid) && { grid: await withPromptId(grid, scope) }),
    ...(isFields(evaluation) && { evaluation: withEvaluators(evaluation) }),
  }
  // Checked by the server, whose error names the field.
  return body as TrialBody
}

async function ofVariant(variant: unknown, scope: PlanScope): Promise<unknown> {
  if (!isFields(variant) || !isFields(variant['target'])) return variant
  return { ...variant, target: await withPromptId(variant['target'], scope) }
}

async function withPromptId({ prompt, ...fields }: Fields, scope: PlanScope): Promise<Fields> {
  if (typeof prompt !== 'string') return prompt === undefined ? fields : { ...fields, prompt }
  return { ...fields, promptId: (await requirePrompt(scope, prompt)).id }
}
