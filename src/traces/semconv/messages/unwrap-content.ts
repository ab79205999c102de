/**
 * Frameworks wrap questions and answers in objects: the arguments of a function, the state of a graph, fields of a request. This finds
 * the single value inside that has content. An object with several such values is data and stays unchanged.
 */
import { isJsonObject, type JsonObject } from '../json/guarded-json.ts'
import { isPythonObject } from '../json/python-text.ts'

export type Side = 'input' | 'output'

/**
 * The value inside a wrapper, and whether it is the whole content of the wrapper; `empty` if no value has content, `whole` if the value
 * is not a wrapper.
 */
export type Unwrapped = { inside: unknown; isAll: boolean } | 'empty' | 'whole'

export function unwrapContent(value: JsonObject, side: Side): Unwrapped {
  const filled = Object.entries(value).filter(
    ([name, entry]) => !SETTINGS.has(name) && !isId(name) && carriesContent(entry),
  )
  const [only] = filled
  if (only === undefined) return Object.values(value).some(isPlain) ? 'whole' : 'empty'
  if (filled.length > 1) return 'whole'
  const [name, inside] = only
  const isAll = Object.entries(value).every(([other, entry]) => other === name || !hasText(entry))
  if (name === 'args' && Array.isArray(inside)) return argumentsInside(inside, isAll)
  return WRAPPERS[side].has(name) ? { inside, isAll } : 'whole'
}

/** False for null, booleans, numbers, empty values, and Python representations of objects. */
export function carriesContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !isPythonObject(value)
  if (Array.isArray(value)) return value.some((entry) => carriesContent(entry) || typeof entry === 'number')
  return isJsonObject(value) && Object.values(value).some((entry) => carriesContent(entry) || typeof entry === 'number')
}

/** The single argument of a function, excluding the object of a method. */
function argumentsInside(list: readonly unknown[], isAll: boolean): Unwrapped {
  const [only, ...others] = list.filter(carriesContent)
  if (others.length > 0) return { inside: list, isAll }
  return { inside: only, isAll: isAll && list.every((entry) => entry === only || !hasText(entry)) }
}

export function hasText(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasText)
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

function isId(name: string): boolean {
  return /(?:^|_)ids?$|Id$/.test(name)
}

const EITHER = ['args', 'kwargs', 'kwds', 'content', 'text', 'message', 'messages']

/** Names that only mark a value as the question or the answer. */
const WRAPPERS: Readonly<Record<Side, ReadonlySet<string>>> = {
  input: new Set([
    ...EITHER,
    'input',
    'inputs',
    'input_str',
    'input_value',
    'user_input',
    'user_message',
    'user_msg',
    'user_prompt',
    'new_message',
    'prompt',
    'prompts',
    'q',
    'query',
    'query_str',
    'query_bundle',
    'question',
    'task',
    'instruction',
    'chat_input',
  ]),
  output: new Set([
    ...EITHER,
    'output',
    'outputs',
    'answer',
    'completion',
    'completions',
    'final_answer',
    'final_output',
    'final_result',
    'generated_text',
    'raw',
    'reply',
    'response',
    'result',
    'return_value',
    'combined_chunk_content',
  ]),
}

/** Additional data that is not part of the question or the answer. */
const SETTINGS: ReadonlySet<string> = new Set([
  'metadata',
  'additional_kwargs',
  'additional_args',
  'callbacks',
  'config',
  'run_config',
  'configurable',
  'ctx',
  'context_variables',
  'init_state',
  'start_event',
  'state_delta',
  'tags',
  'model',
  'model_name',
  'mode',
  'stream_mode',
  'tools',
  'tool_choice',
  'usage',
  'usage_metadata',
  'token_usage',
  'finish_reason',
  'response_metadata',
  'invocation_params',
])
