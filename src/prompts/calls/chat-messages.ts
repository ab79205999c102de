/** Rendered messages as a conversation with a model. Messages of a placeholder may have calls of tools in the form of OpenAI. */
import { badRequest } from '../../base/errors.ts'
import type { ChatMessage, ToolCall } from '../../llm/chat.ts'
import type { TextMessage } from '../template.ts'

type Fields = Record<string, unknown>

export function chatMessagesOf(messages: readonly TextMessage[]): ChatMessage[] {
  return messages.map((message, place) => {
    const { role, content } = message
    switch (role) {
      case 'system':
      case 'developer':
        return { role: 'system', content }
      case 'user':
        return { role: 'user', content }
      case 'assistant': {
        const toolCalls = toolCallsOf(message)
        return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) }
      }
      case 'tool':
        return { role: 'tool', content, toolCallId: toolCallIdOf(message, place) }
      default:
        throw badRequest(
          `Message ${place + 1} has the role ${JSON.stringify(role.slice(0, 100))}; use system, developer, user, assistant or tool`,
        )
    }
  })
}

function toolCallsOf(message: TextMessage): ToolCall[] {
  const { tool_calls: calls }: Fields = { ...message }
  if (!Array.isArray(calls)) return []
  return calls.map((call) => {
    const { id, function: called }: Fields = Object(call)
    const { name, arguments: args }: Fields = Object(called)
    return {
      id: String(id),
      name: String(name),
      arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}),
    }
  })
}

function toolCallIdOf(message: TextMessage, place: number): string {
  const { tool_call_id: id }: Fields = { ...message }
  if (typeof id === 'string') return id
  throw badRequest(
    `Message ${place + 1} is the result of a tool without "tool_call_id"; add the id of the call in "tool_calls" of an earlier message`,
  )
}
