/** Reads and checks all that a try of a prompt needs, so that what is wrong with it is known before the stream begins. */
import { badRequest, notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import { findModelSource, type ModelSource } from '../connections/model-access.ts'
import type { Context } from '../http/route.ts'
import { defaultModelOf } from '../llm/model-client.ts'
import { type PromptRequest, promptRequest } from '../prompts/calls/chat-request.ts'
import type { Values } from '../prompts/calls/render-prompt.ts'
import { requirePrompt } from '../prompts/change-prompt.ts'
import type { VersionContent } from '../prompts/version-content.ts'
import { assertMaySpend } from '../spending/assert-spending.ts'
import type { ModelDeps } from '../spending/model-session.ts'
import type { Db } from '../storage/db.ts'
import type { Quotas } from '../workspaces/quotas.ts'
import { continuedMessages } from './continued-messages.ts'
import { itemValues } from './item-values.ts'
import { findItemOfComponent } from './playground-queries.ts'
import { readContent, savedName } from './prompt-content.ts'
import { NO_ANSWERS, type RecordedAnswers, readRecordedAnswers } from './recorded-answers.ts'
import type { RenderPrompt, TryPrompt } from './try-schemas.ts'

type ToolAnswers = 'recorded' | 'ask' | 'none'

export type PreparedTry = PromptRequest & {
  source: ModelSource
  provider: string
  /** The name of the prompt. */
  name: string
  /** `name@number` if a saved version is used unchanged. */
  version: string | undefined
  itemId: string | undefined
  values: Values
  /** How many of the messages of the request come from the prompt; the others continue an earlier try. */
  promptLength: number
  toolAnswers: ToolAnswers
  recorded: RecordedAnswers
}

type Target = { componentId: string; promptId: string }
type Item = { input: string | null; traceRef: string | null }

/** What is rendered, with its values. */
export async function prepareRender(
  { db }: { db: Db },
  by: Principal,
  { componentId, promptId, ...body }: Target & RenderPrompt,
) {
  const prompt = await requirePrompt(db.read, by, { componentId, promptId })
  const content = await readContent(db.read, prompt, body)
  const { workspaceId } = by
  const { itemId, variables = {} } = body
  const item = itemId === undefined ? undefined : await requireItem(db, { workspaceId, componentId, itemId })
  const values = { ...(item && itemValues(item.input, content.messages, variables)), ...variables }
  return { prompt, content, item, values }
}

async function requireItem(
  db: Db,
  wanted: { workspaceId: string; componentId: string; itemId: string },
): Promise<Item> {
  const item = await findItemOfComponent(db.read, wanted)
  if (!item) throw notFound('Dataset item')
  return item
}

/** Throws 400, 404, 409, 413 or 429 with the remedy. */
export async function prepareTry(
  { db, clock, signal }: Pick<Context, 'db' | 'clock' | 'signal'>,
  { access, pricer, quotas }: Pick<ModelDeps, 'access' | 'pricer'> & { quotas: Quotas },
  by: Principal,
  body: Target & TryPrompt,
): Promise<PreparedTry> {
  const { workspaceId } = by
  quotas.assertSpansLeft(workspaceId)
  const { prompt, content: saved, item, values } = await prepareRender({ db }, by, body)
  const content = withChanges(saved, body)
  const source = await requireSource(access, db, { workspaceId, name: content.provider ?? undefined, now: clock.now() })
  const { connection } = source
  const model = modelOf(source, content)
  const target = { kind: connection.kind, name: connection.name, model }
  const { request, notices } = promptRequest(content, values, target)
  const toolAnswers = toolAnswersOf(body, item !== undefined)
  const bulk = db.bulk({ application: workspaceId, from: 'request', signal })
  const recorded =
    toolAnswers === 'recorded' && item
      ? await readRecordedAnswers(bulk, { workspaceId, traceRef: item.traceRef })
      : NO_ANSWERS
  const listModels = async () => [model]
  await assertMaySpend({ q: db.read, clock }, { workspaceId, listModels, pricer })
  return {
    source,
    provider: connection.name,
    name: prompt.name,
    version: await savedName(db.read, prompt, content),
    itemId: body.itemId,
    values,
    promptLength: request.messages.length,
    request: { ...request, messages: [...request.messages, ...continuedMessages(body.continue, request.tools ?? [])] },
    notices,
    toolAnswers,
    recorded,
  }
}

type Changes = Pick<TryPrompt, 'provider' | 'model' | 'parameters'>

/** Of another connection than that of the content, the first model is used unless the request names one. */
export function withChanges(content: VersionContent, { provider, model, parameters = {} }: Changes): VersionContent {
  const isOtherProvider = provider !== undefined && provider !== content.provider
  const merged = Object.entries({ ...content.parameters, ...parameters }).filter(([, value]) => value !== null)
  return {
    ...content,
    provider: provider ?? content.provider,
    model: model ?? (isOtherProvider ? null : content.model),
    parameters: Object.fromEntries(merged),
  }
}

export async function requireSource(
  access: ModelDeps['access'],
  { read }: Pick<Db, 'read'>,
  wanted: { workspaceId: string; name: string | undefined; now: number },
): Promise<ModelSource> {
  const source = await findModelSource(access, read, wanted)
  if (source) return source
  throw badRequest(
    wanted.name === undefined
      ? 'Neither the prompt nor the request names a connection, and this server has no default model (OPENAI_BASE_URL); send "provider", the name of a connection'
      : `There is no connection named ${JSON.stringify(wanted.name.slice(0, 200))}; send "provider" with the name of one, or add it under Settings, Models`,
  )
}

export function modelOf({ connection, problem }: ModelSource, { model }: VersionContent): string {
  const found = model ?? defaultModelOf(connection.models, 'completion')
  if (found !== undefined) return found
  throw badRequest(
    problem ??
      `The connection ${connection.name} lists no models, and neither the prompt nor the request names one; send "model"`,
  )
}

function toolAnswersOf({ toolAnswers }: TryPrompt, hasItem: boolean): ToolAnswers {
  if (toolAnswers === 'recorded' && !hasItem) {
    throw badRequest(
      'The answers of tools are recorded in the trace of an item, and the request names none; send "itemId", or "toolAnswers": "ask"',
    )
  }
  return toolAnswers ?? (hasItem ? 'recorded' : 'ask')
}
