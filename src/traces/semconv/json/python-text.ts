/**
 * Python representations of objects. Instrumentations send them for objects that they could not serialize: `<Context object at 0x7f31>`,
 * `StopEvent(result=AgentOutput(…`, `ChatMessage(role=<MessageRole.USER: 'user'>, …)`. They are not message text.
 */
import type { Message } from '../../storing/mapped-span.ts'

const OBJECT =
  /^<(?:class |function |bound method |coroutine object )?[\w.]+(?:\(.*\)| object.*| at 0x[0-9a-f]+|: .*)(?: -> [^<>]*)?>$/s
/** Also matches a list of objects, and a text that the instrumentation truncated, which ends in dots. */
const CONSTRUCTOR = /^\[?[A-Z]\w*\((?:\s*\w+=.*)?(?:\)\]?|\.\.\.|…)$/s
const TEXT_LITERAL = `('(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*")`
const SINGLE_FIELD = new RegExp(`^[A-Z]\\w*\\(\\s*\\w+=${TEXT_LITERAL},?\\s*\\)$`, 's')
const CHAT_MESSAGE = /^ChatMessage\(_?role=<\w+\.\w+: '(\w+)'>/
const TEXT_BLOCK = new RegExp(`Text(?:Block\\(block_type='text', |Content\\()text=${TEXT_LITERAL}`, 'gs')
/** The fields of a message of LangChain or AutoGen, with or without the name of its class. */
const PRINTED_MESSAGE = /^(?:(Human|User|AI|Assistant|System|Tool)Message(?:Chunk)?\()?(?:content|id|source)=/
const PRINTED_CONTENT = new RegExp(`(?:^|[\\s(])content=${TEXT_LITERAL}(?=,? \\w+=|\\)?$)`, 's')
const PRINTED_ROLE = /(?:^|[\s(])(?:source|role)='(\w+)'/
/** Only the response of a model has these fields. */
const OF_RESPONSE = /(?:finish_reason|token_usage|usage_metadata=\{)/

/** Longer text never matches as a whole, and trying is slow. Nor does a shorter one: a list may have a hundred thousand. */
const CHARACTERS_MAX = 100_000
const MESSAGE_CHARACTERS_MIN = "content=''".length

export function isPythonObject(text: string): boolean {
  if (text.length > CHARACTERS_MAX) return false
  return OBJECT.test(text) || CONSTRUCTOR.test(text)
}

/** The text of an object that has one field, such as `Prediction(answer='4')`. */
export function singleFieldText(text: string): string | undefined {
  const literal = text.length > CHARACTERS_MAX ? undefined : SINGLE_FIELD.exec(text)?.[1]
  return literal === undefined ? undefined : readLiteral(literal)
}

/** The message of `ChatMessage(…)` of LlamaIndex and Haystack, of LangChain's `content='…' …`, or of AutoGen's `id='…' source='user' …`. */
export function messageOfPython(text: string): Message | undefined {
  if (text.length > CHARACTERS_MAX || text.length < MESSAGE_CHARACTERS_MIN) return undefined
  const role = CHAT_MESSAGE.exec(text)?.[1]
  if (role === undefined) return printedMessage(text)
  const texts = [...text.matchAll(TEXT_BLOCK)].map(([, literal]) => readLiteral(literal ?? "''"))
  return { role, parts: texts.filter((said) => said !== '').map((said) => ({ type: 'text', text: said })) }
}

function printedMessage(text: string): Message | undefined {
  const start = PRINTED_MESSAGE.exec(text)
  const literal = start === null ? undefined : PRINTED_CONTENT.exec(text)?.[1]
  if (start === null || literal === undefined) return undefined
  const sender = start[1]?.toLowerCase() ?? PRINTED_ROLE.exec(text)?.[1] ?? (OF_RESPONSE.test(text) ? 'ai' : 'user')
  const said = readLiteral(literal)
  return { role: SENDERS.get(sender) ?? 'assistant', parts: said === '' ? [] : [{ type: 'text', text: said }] }
}

/** Any other sender is an agent. */
const SENDERS: ReadonlyMap<string, string> = new Map([
  ['human', 'user'],
  ['user', 'user'],
  ['system', 'system'],
  ['tool', 'tool'],
])

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', "'": "'", '"': '"', '\\': '\\' }

/** A string literal, with its quotes. */
function readLiteral(literal: string): string {
  return literal
    .slice(1, -1)
    .replace(/\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|(.))/gis, (sequence, byte, unit, other) =>
      other === undefined ? String.fromCharCode(Number.parseInt(byte ?? unit, 16)) : (ESCAPES[other] ?? sequence),
    )
    .toWellFormed()
}
