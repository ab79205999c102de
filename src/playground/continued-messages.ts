import { badRequest } from '../base/errors.ts'
import type { ChatMessage, Tool, ToolCall } from '../llm/chat.ts'
import type { TriedMessage, TryPrompt } from './try-schemas.ts'

/** The conversation of an earlier try with the answers to its open calls of tools. Throws 400 unless each of them has exactly one. */
export function continuedMessages(continued: TryPrompt['continue'], tools: readonly Tool[]): ChatMessage[] {
  if (!continued) return []
  if (tools.length === 0)
    throw badRequest('The prompt has no tools, so there is no call to continue; leave "continue" out')
  const messages = continued.conversation.map(toChatMessage)
  const open = openCalls(messages)
  const answers = new Map(continued.toolAnswers.map(({ toolCallId, content }) => [toolCallId, content]))
  if (answers.size < continued.toolAnswers.length)
    throw badRequest('Two answers of "continue" have the same "toolCallId"; send one for each call')
  const missing = open.filter(({ id }) => !answers.has(id))
  if (missing.length > 0) {
    const calls = missing.map(({ name, id }) => `${name} (${id.slice(0, 100)})`).join(', ')
    throw badRequest(
      `These calls of tools have no answer in "continue": ${calls}; add {"toolCallId", "content"} for each`,
    )
  }
  const unknown = [...answers.keys()].find((id) => !open.some((call) => call.id === id))
  if (unknown !== undefined) {
    throw badRequest(
      `The answer to ${JSON.stringify(unknown.slice(0, 100))} in "continue" belongs to no open call of the conversation; leave it out`,
    )
  }
  return [
    ...messages,
    ...open.map(({ id }) => ({ role: 'tool' as const, toolCallId: id, content: answers.get(id) ?? '' })),
  ]
}

function toChatMessage(message: TriedMessage): ChatMessage {
  if (message.role === 'tool') return { role: 'tool', toolCallId: message.toolCallId, content: message.content }
  const { content, toolCalls, native } = message
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }), ...(native && { native }) }
}

export function toTriedMessage(message: ChatMessage): TriedMessage[] {
  if (message.role === 'tool') return [message]
  if (message.role !== 'assistant') return []
  const { content, toolCalls = [], native } = message
  return [
    {
      role: 'assistant',
      content,
      toolCalls: [...toolCalls],
      native: native ? { kind: native.kind, content: [...native.content] } : null,
    },
  ]
}

function openCalls(messages: readonly ChatMessage[]): ToolCall[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : [])))
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return calls.filter(({ id }) => !answered.has(id))
}
