import { badRequest } from '../../base/errors.ts'
import { type ChatMessage, type ChatRequest, MAX_TOKENS_DEFAULT, type ProviderKind } from '../../llm/chat.ts'
import type { VersionContent } from '../version-content.ts'
import { chatMessagesOf } from './chat-messages.ts'
import { readParameters } from './read-parameters.ts'
import { readResponseFormat } from './read-response-format.ts'
import { readToolChoice, readTools } from './read-tools.ts'
import { renderPrompt, type Values } from './render-prompt.ts'

/** Where it goes. `name` is that of the connection. */
type Target = { kind: ProviderKind; name: string; model: string }

export type PromptRequest = {
  request: ChatRequest & { model: string; parameters: { maxTokens: number } }
  /** What was added or is not sent, in plain words. */
  notices: string[]
}

/**
 * The request of a prompt with values. Tools, response format and parameters may be in the form of any provider. Throws 400 or 413 if
 * something cannot be sent to a connection of this kind.
 */
export function promptRequest(content: VersionContent, values: Values, target: Target): PromptRequest {
  const { kind, name, model } = target
  const messages = chatMessagesOf(renderPrompt(content.messages, values).messages)
  const tools = readTools(content.tools)
  const responseFormat = readResponseFormat(content.responseFormat)
  const { parameters, toolChoice } = readParameters(content.parameters, kind)
  const maxTokens = parameters.maxTokens ?? MAX_TOKENS_DEFAULT
  rejectUnsupported({ messages, responseFormat, parameters }, target)
  const notices: string[] = []
  if (parameters.maxTokens === undefined)
    notices.push(
      `The prompt sets no limit of tokens, so ${MAX_TOKENS_DEFAULT.toLocaleString('en')} is sent; set "maxTokens" for another one`,
    )
  if (kind !== 'openai' && hasLaterInstructions(messages))
    notices.push(`Messages of the system come first at ${name}, because its API has them nowhere else`)
  if (kind !== 'openai' && tools.some(({ strict }) => strict))
    notices.push(`"strict" of tools is not sent to ${name}: only OpenAI knows it`)
  const request = {
    model,
    messages,
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoice !== undefined && { toolChoice: readToolChoice(toolChoice, tools) }),
    ...(responseFormat && { responseFormat }),
    parameters: { ...parameters, maxTokens },
  }
  return { request, notices }
}

function rejectUnsupported(
  { messages, responseFormat, parameters }: Pick<ChatRequest, 'messages' | 'responseFormat' | 'parameters'>,
  { kind, name }: Target,
): void {
  if (kind !== 'openai' && messages.every(({ role }) => role === 'system')) {
    throw badRequest(
      `The prompt has only messages of the system, and the API of ${name} needs one of the user; add one, or pass it in a placeholder`,
    )
  }
  if (kind !== 'anthropic') return
  if (parameters?.seed !== undefined) throw badRequest(`The API of ${name} has no seed; remove the parameter`)
  if (responseFormat?.type === 'json') {
    throw badRequest(
      `The API of ${name} answers in JSON only by a schema; give the response format one: {"type": "json_schema", "json_schema": {"name": …, "schema": …}}`,
    )
  }
}

function hasLaterInstructions(messages: readonly ChatMessage[]): boolean {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return first !== -1 && messages.slice(first).some(({ role }) => role === 'system')
}
