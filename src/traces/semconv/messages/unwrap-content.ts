/**
 * Frameworks wrap questions and answers in objects: the arguments of a function, the state of a graph, fields of a request or a result.
 * This finds the single value inside that has content. An object with several such values is data and stays unchanged. The tables below
 * are all that it knows about frameworks.
 */
import { isJsonObject, type JsonObject, someField } from '../json/guarded-json.ts'
import { isPythonObject } from '../json/python-text.ts'

export type Side = 'input' | 'output'

/**
 * The value inside a wrapper, and whether it is the whole content of the wrapper; `empty` if no value has content, `whole` if the value
 * is not a wrapper.
 */
export type Unwrapped = { inside: unknown; isAll: boolean } | 'empty' | 'whole'

export function unwrapContent(value: JsonObject, side: Side): Unwrapped {
  const name = value.lc === 1 ? 'kwargs' : contentOfShape(value)
  if (name !== undefined) return carriesContent(value[name]) ? insideOf(value, name) : { inside: null, isAll: false }
  const filled = namesWithContent(value, side)
  const [only] = filled
  if (only === undefined) return someField(value, isPlain) ? 'whole' : 'empty'
  if (filled.length > 1) return 'whole'
  if (WRAPPERS[side].has(only)) return insideOf(value, only)
  // The result of one component of a pipeline, or of one node of a graph.
  const inner = value[only]
  const [innerOnly, ...others] = isJsonObject(inner) ? namesWithContent(inner, side) : []
  const isResult = innerOnly !== undefined && others.length === 0 && RESULTS[side].has(innerOnly)
  return isResult ? { inside: inner, isAll: false } : 'whole'
}

/** False for null, booleans, numbers, empty values, and Python representations of objects. */
export function carriesContent(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '' && !isPythonObject(value)
  if (Array.isArray(value)) return value.some((entry) => carriesContent(entry) || typeof entry === 'number')
  return isJsonObject(value) && someField(value, (entry) => carriesContent(entry) || typeof entry === 'number')
}

export function hasText(value: unknown): boolean {
  if (typeof value === 'string') return value !== ''
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) ? value.some(hasText) : someField(value, hasText)
}

/** The fields that may be the content. Those that only accompany a question or an answer count if there is nothing else. */
function namesWithContent(value: JsonObject, side: Side): string[] {
  const filled = Object.keys(value).filter((name) => carriesContent(value[name]) && !ABOUT.has(name) && !isId(name))
  if (filled.length < 2) return filled
  const [own, ...others] = filled.filter((name) => !COMPANIONS[side].has(name))
  return own !== undefined && others.length === 0 && ACCOMPANIED.has(own) ? [own] : filled
}

/** Of a list with one text, such as the arguments of a function, the text. */
function insideOf(value: JsonObject, name: string): Unwrapped {
  const isAll = Object.entries(value).every(([other, entry]) => other === name || !hasText(entry))
  const inside = value[name]
  if (!Array.isArray(inside)) return { inside, isAll }
  const [only, ...others] = inside.filter(carriesContent)
  // Without the object of a method.
  const isSingle = others.length === 0 && (name === 'args' || (typeof only === 'string' && inside.length === 1))
  if (!isSingle) return { inside, isAll }
  return { inside: only, isAll: isAll && inside.every((entry) => entry === only || !hasText(entry)) }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

function isId(name: string): boolean {
  return /(?:^|_)ids?$|Id$/.test(name)
}

/** The field with the content of an object that is recognized by its fields; undefined for any other object. */
export function contentOfShape(value: JsonObject): string | undefined {
  return SHAPES.find(({ has }) => has.every((field) => Object.hasOwn(value, field)))?.inside
}

/** The content is in one field, regardless of the others: some results list all messages of a run. The first match counts. */
const SHAPES: readonly { has: readonly string[]; inside: string }[] = [
  // What LangChain passes to callbacks, as OpenLLMetry records it.
  { has: ['inputs', 'tags', 'kwargs'], inside: 'inputs' },
  { has: ['outputs', 'kwargs'], inside: 'outputs' },
  { has: ['output', 'kwargs'], inside: 'output' },
  { has: ['return_values', 'log'], inside: 'return_values' },
  // Results of CrewAI.
  { has: ['raw', 'pydantic', 'json_dict'], inside: 'raw' },
  // An event of Google ADK. An error is not an answer.
  { has: ['error_code', 'error_message', 'invocation_id'], inside: 'content' },
]

const CONTENT = ['content', 'text', 'message']
const ARGUMENTS = ['args', 'kwargs', 'kwds']
const QUESTIONS = [
  'input',
  'inputs',
  'input_str',
  'input_value',
  'user_input',
  'user_message',
  'user_msg',
  'user_prompt',
  'human_input',
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
]
const ANSWERS = [
  'output',
  'outputs',
  'output_text',
  'answer',
  'completion',
  'completions',
  'final_answer',
  'final_output',
  'final_result',
  'generated_text',
  'raw',
  'replies',
  'reply',
  'response',
  'result',
  'return_value',
  'return_values',
  'combined_chunk_content',
]

/** Names that only mark a value as the question or the answer. */
const WRAPPERS: Readonly<Record<Side, ReadonlySet<string>>> = {
  input: new Set([...CONTENT, ...ARGUMENTS, 'messages', 'data', ...QUESTIONS]),
  output: new Set([...CONTENT, ...ARGUMENTS, 'messages', ...ANSWERS]),
}

/** Those of them that are never fields of data in an object with another name. */
const RESULTS: Readonly<Record<Side, ReadonlySet<string>>> = {
  input: new Set(['messages', 'question', 'query', 'prompt']),
  output: new Set(['messages', ...ANSWERS]),
}

/** Answers that frameworks send with other fields. */
const ACCOMPANIED: ReadonlySet<string> = new Set(['content', 'text', ...ANSWERS])

/** What comes with an answer: the question that it answers, what was used for it, and other forms of it. */
const COMPANIONS: Readonly<Record<Side, ReadonlySet<string>>> = {
  input: new Set(),
  output: new Set([
    ...QUESTIONS,
    'history',
    'chat_history',
    'context',
    'documents',
    'sources',
    'source_documents',
    'source_nodes',
    'citations',
    'reasoning',
    'reasoning_content',
    'rationale',
    'thought',
    'thoughts',
    'thinking',
    'trajectory',
    'intermediate_steps',
    'inner_messages',
    'steps',
    'tool_calls',
    'toolCalls',
    'toolResults',
    'object',
    'files',
    'warnings',
  ]),
}

/** Additional data that is not part of the question or the answer. */
const ABOUT: ReadonlySet<string> = new Set([
  'metadata',
  'meta',
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
  'models_usage',
  'usage_metadata',
  'token_usage',
  'finish_reason',
  'finishReason',
  'stop_reason',
  'created_at',
  'encoding_format',
  'response_metadata',
  'generation_info',
  'invocation_params',
  'providerMetadata',
])
