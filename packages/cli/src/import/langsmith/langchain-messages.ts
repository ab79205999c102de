/** Messages in the forms of LangChain, as chat messages that every reader knows. */
import { type Fields, fieldsOf, isFields, listOf, present, textOf } from '../source-values.ts'

const ROLES: Record<string, string> = {
  human: 'user',
  HumanMessage: 'user',
  HumanMessageChunk: 'user',
  ai: 'assistant',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  system: 'system',
  SystemMessage: 'system',
  tool: 'tool',
  ToolMessage: 'tool',
  function: 'tool',
  FunctionMessage: 'tool',
}

/** Inputs or outputs of a call of a model: `{messages}` if they are messages in any known form, otherwise as they are. */
export function chatOf(value: unknown): unknown {
  const fields = fieldsOf(value)
  const messages = readMessages(fields['messages']) ?? readGenerations(fields['generations']) ?? readChoices(fields)
  if (messages) return { messages }
  const output = isFields(fields['output']) ? messageOf(fields['output']) : undefined
  return output ? { messages: [output] } : value
}

/** LangChain sends a list of conversations, of which there is one. */
function readMessages(value: unknown): Fields[] | undefined {
  const list = listOf(value).flat(1)
  const messages = list.map((one) => messageOf(fieldsOf(one))).filter((message) => message !== undefined)
  return messages.length > 0 && messages.length === list.length ? messages : undefined
}

function readGenerations(value: unknown): Fields[] | undefined {
  const generation = fieldsOf(listOf(value).flat(1)[0])
  const message = messageOf(fieldsOf(generation['message']))
  const text = textOf(generation['text'])
  if (message) return [message]
  return text === undefined ? undefined : [{ role: 'assistant', content: text }]
}

function readChoices({ choices }: Fields): Fields[] | undefined {
  const message = messageOf(fieldsOf(fieldsOf(listOf(choices)[0])['message']))
  return message && [message]
}

/** A message of a provider, of `dumpd` (`{lc, id, kwargs}`), or of `model_dump` (`{type, content}`). Undefined if it is none. */
function messageOf(message: Fields): Fields | undefined {
  const name = message['lc'] === undefined ? undefined : listOf(message['id']).at(-1)
  const fields = name === undefined ? message : fieldsOf(message['kwargs'])
  const role = textOf(fields['role']) ?? ROLES[String(name ?? fields['type'])]
  if (role === undefined) return undefined
  const calls = listOf(fields['tool_calls'] ?? fieldsOf(fields['additional_kwargs'])['tool_calls']).filter(isFields)
  return present({
    role: ROLES[role] ?? role,
    content: fields['content'] ?? '',
    name: textOf(fields['name']),
    tool_call_id: textOf(fields['tool_call_id']),
    tool_calls: calls.length > 0 ? calls.map(callOf) : undefined,
  })
}

function callOf(call: Fields): Fields {
  if (isFields(call['function'])) return call
  const { id, name, args } = call
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args ?? {}) } }
}
