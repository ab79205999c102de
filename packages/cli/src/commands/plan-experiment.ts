import type { Touchstone } from 'touchstone-sdk/client'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { findNewestVersion, requirePrompt } from '../prompts/find-prompt.ts'
import { findDatasetId, isFields, type Plan, type PlanScope, withEvaluators } from './plan-file.ts'

type ExperimentBody = Parameters<Touchstone['experiments']['create']>[1]

/** Replaces names by ids. The server checks everything else. */
export async function resolveExperimentPlan(plan: Plan, scope: PlanScope): Promise<ExperimentBody> {
  const datasetId = await findDatasetId(plan, scope)
  const { prompt, ...fields } = withEvaluators(plan.fields)
  const body = {
    ...fields,
    ...(datasetId !== undefined && { datasetId }),
    ...(prompt !== undefined && { prompt: await versionOf(prompt, scope) }),
  }
  // Checked by the server, whose error names the field.
  return body as ExperimentBody
}

/** A name is its newest version; `{name, version}` is another one. */
async function versionOf(prompt: unknown, scope: PlanScope): Promise<unknown> {
  const { name, version, ...others } = isFields(prompt) ? prompt : { name: prompt }
  if (typeof name !== 'string') return prompt
  const { id: promptId } = await requirePrompt(scope, name)
  if (version !== undefined) return { ...others, promptId, version }
  const newest = await findNewestVersion(scope, promptId)
  if (newest === undefined) throw new CliError(`The prompt "${name}" has no version to start from.`, EXIT.notFound)
  return { ...others, promptId, version: newest }
}
