import type { ModelAccess, ModelSource } from '../../connections/model-access.ts'
import { modelOf, requireSource } from '../../playground/prepare-try.ts'
import type { Queries } from '../../storage/db.ts'
import type { OpenPrompt } from '../../trials/targets/prompt-target.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'

export type OpenReflection = { source: ModelSource; model: string }

/** The model that proposes prompts: as the target unless the plan names another. Throws 400 if it does not exist. */
export async function openReflection(
  q: Queries,
  access: ModelAccess,
  {
    workspaceId,
    reflection,
    prompt,
    now,
  }: {
    workspaceId: string
    reflection: ExperimentPlan['reflection']
    prompt: OpenPrompt
    now: number
  },
): Promise<OpenReflection> {
  const { provider, model } = reflection
  if (provider === null) return { source: prompt.source, model: model ?? prompt.model }
  const source = await requireSource(access, { read: q }, { workspaceId, name: provider, now })
  return { source, model: modelOf(source, { ...prompt.content, model }) }
}
