/**
 * A tool that the model must call with its answer, for models that know no response format, or none together with tools. It must then call
 * this tool or another one.
 */
import type { Tool, ToolChoice } from '../chat.ts'
import type { ModelRequest, RequestProfile } from './provider.ts'

export function answerToolOf(
  { responseFormat, tools = [] }: ModelRequest,
  { format }: Pick<RequestProfile, 'format'>,
): Tool | undefined {
  if (responseFormat?.type !== 'schema' || format !== 'tool') return undefined
  let { name } = responseFormat
  while (tools.some((tool) => tool.name === name)) name = `${name}_answer`
  return { name, description: 'Gives the answer.', parameters: responseFormat.schema }
}

/** Not if the request names the tool to call, which would never be this one. */
export function canAnswerByTool({ toolChoice }: Pick<ModelRequest, 'toolChoice'>): boolean {
  return typeof toolChoice !== 'object'
}

/** The tools to send, and which of them the model must call. */
export function toolsToSend(
  request: ModelRequest,
  profile: Pick<RequestProfile, 'format'>,
): { tools: readonly Tool[]; toolChoice: ToolChoice | undefined } {
  const { tools = [], toolChoice } = request
  const answerTool = answerToolOf(request, profile)
  if (!answerTool) return { tools, toolChoice }
  if (tools.length === 0 || toolChoice === 'none') return { tools: [answerTool], toolChoice: { name: answerTool.name } }
  return { tools: [...tools, answerTool], toolChoice: 'required' }
}
