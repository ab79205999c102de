import { badRequest } from '../../base/errors.ts'
import type { ModelAccess, ModelSource } from '../../connections/model-access.ts'
import { modelOf, requireSource, withChanges } from '../../playground/prepare-try.ts'
import { savedName } from '../../playground/prompt-content.ts'
import { findPrompt } from '../../prompts/prompt-queries.ts'
import { noVersion } from '../../prompts/save-version.ts'
import { namesIn } from '../../prompts/template.ts'
import type { VersionContent } from '../../prompts/version-content.ts'
import { findVersion } from '../../prompts/version-queries.ts'
import type { Queries } from '../../storage/db.ts'
import { type GivenTarget, rejectOtherFields } from './given-target.ts'

/** The server calls the model of a prompt. Null: as the version says. */
export type PromptTarget = {
  type: 'prompt'
  promptId: string
  version: number
  provider: string | null
  model: string | null
  parameters: Record<string, unknown>
  /** Calls of tools are the output, or get the answers that are recorded in the trace of the item. */
  tools: 'record' | 'replay'
}

export function readPromptTarget(given: GivenTarget, place: string): PromptTarget {
  const { promptId, version, provider = null, model = null, parameters = {}, tools = 'record' } = given
  rejectOtherFields(given, place)
  if (promptId === undefined || version === undefined)
    throw badRequest(
      `The field ${place}.target needs promptId and version: a target of type prompt is a version of a prompt`,
    )
  return { type: 'prompt', promptId, version, provider, model, parameters, tools }
}

/** A version with the changes of its target, and where it is sent. */
export type OpenPrompt = {
  name: string
  /** `name@number` if it is used unchanged. */
  version: string | undefined
  content: VersionContent
  source: ModelSource
  model: string
  /** Of variables and placeholders. */
  names: string[]
}

/** Throws 400 or 404 if the version, the connection or the model does not exist. */
export async function openPrompt(
  q: Queries,
  access: ModelAccess,
  { target, ...of }: { workspaceId: string; componentId: string; target: PromptTarget; now: number },
): Promise<OpenPrompt> {
  const { workspaceId, componentId, now } = of
  const { promptId, version: number } = target
  const [prompt] = await findPrompt(q, { workspaceId, componentId, promptId })
  if (!prompt) throw badRequest(`The component has no prompt ${promptId}; use the id of one of its prompts`)
  const scope = { workspaceId, promptId, name: prompt.name }
  const version = await findVersion(q, { ...scope, number })
  if (!version) throw noVersion(scope, number)
  const content = withChanges(version.content, {
    ...(target.provider !== null && { provider: target.provider }),
    ...(target.model !== null && { model: target.model }),
    parameters: target.parameters,
  })
  const source = await requireSource(access, { read: q }, { workspaceId, name: content.provider ?? undefined, now })
  const { variables, placeholders } = namesIn(content.messages)
  return {
    name: prompt.name,
    version: await savedName(q, scope, content),
    content,
    source,
    model: modelOf(source, content),
    names: [...variables, ...placeholders],
  }
}
