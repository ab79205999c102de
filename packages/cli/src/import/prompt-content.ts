/**
 * Prompts of other tools as contents of versions. Templates here have variables and placeholders and nothing else: what another tool would
 * have computed is a reason not to take a prompt, because it would be sent to a model as text.
 */
import { createHash } from 'node:crypto'
import { type Fields, fieldsOf, isFields, listOf } from './source-values.ts'

export type PromptMessage = { role: string; content: string } | { placeholder: string }

export interface PromptContent {
  messages: PromptMessage[]
  provider: string | null
  model: string | null
  parameters: Fields
  tools: Fields[]
  responseFormat: Fields | null
}

const ROLES = ['system', 'developer', 'user', 'assistant']
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
const MESSAGES_MAX = 200
const PROMPT_NAME_LENGTH_MAX = 128

/** What a model or its API takes. Other settings would be sent to the provider, which rejects them. */
const PARAMETERS = new Set([
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'stop',
  'stop_sequences',
  'seed',
  'n',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'reasoning_effort',
  'verbosity',
  'thinking',
  'service_tier',
])

/** The settings of a prompt, and the names of those that are none of a model. */
export function readSettings(config: unknown): { settings: Omit<PromptContent, 'messages'>; unknown: string[] } {
  const settings = { provider: null, model: null as string | null, parameters: {} as Fields, tools: [] as Fields[] }
  let responseFormat: Fields | null = null
  const unknown: string[] = []
  for (const [key, value] of Object.entries(fieldsOf(config))) {
    if (value === null || value === undefined) continue
    const tools = listOf(value).filter(isFields)
    if (key === 'model' && typeof value === 'string' && value !== '') settings.model = value
    else if (key === 'tools' && Array.isArray(value) && tools.length === value.length) settings.tools = tools
    else if ((key === 'response_format' || key === 'responseFormat') && isFields(value)) responseFormat = value
    else if (PARAMETERS.has(key)) settings.parameters[key] = value
    else unknown.push(key)
  }
  return { settings: { ...settings, responseFormat }, unknown }
}

/** The messages of a chat, or the reason why there are none. */
export function readChat(list: readonly unknown[]): { messages: PromptMessage[] } | { reason: string } {
  if (list.length === 0) return { reason: 'it has no messages' }
  if (list.length > MESSAGES_MAX) return { reason: `it has more than ${MESSAGES_MAX} messages` }
  const messages: PromptMessage[] = []
  for (const one of list) {
    const { type, name, role, content } = fieldsOf(one)
    if (type === 'placeholder') {
      if (typeof name !== 'string' || !NAME.test(name)) return { reason: `${nameReason(String(name))}: a placeholder` }
      messages.push({ placeholder: name })
    } else if (typeof role !== 'string' || !ROLES.includes(role)) {
      return { reason: `it has a message with the role ${String(role)}; roles are ${ROLES.join(', ')}` }
    } else if (typeof content !== 'string') return { reason: `a message of the role ${role} has no text, or parts` }
    else messages.push({ role, content })
  }
  return { messages }
}

/** Why a text with templates of Mustache or Nunjucks would not be the same here; undefined if it would. */
export function templateReason(text: string): string | undefined {
  const [tag] = /\{%[\s\S]*?(?:%\}|$)/.exec(text) ?? []
  if (tag !== undefined) return `it has logic, which prompts do not have: ${short(tag)}`
  const [comment] = /\{#[\s\S]*?#\}/.exec(text) ?? []
  if (comment !== undefined) return `it has a comment, which would be sent: ${short(comment)}`
  for (const [whole, inner = ''] of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    if (/^[ \t]*[A-Za-z_][A-Za-z0-9_]{0,63}[ \t]*$/.test(inner)) continue
    const expression = inner.trim()
    if (
      /^[#^/>!&=-]/.test(expression) ||
      /[|.[(+*?]/.test(expression) ||
      /\s(?:if|in|is|and|or|not)\s/.test(expression)
    )
      return `it has logic, which prompts do not have: ${short(whole)}`
    if (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(expression)) return nameReason(expression)
  }
  return undefined
}

function nameReason(name: string): string {
  const form = 'up to 64 letters from A to Z, digits and _, in the braces on one line'
  return `the name ${short(name)} is not possible, which must be ${form}`
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}

/** A name that prompts can have: letters, digits and `. _ / -`. Undefined if nothing of it is left. */
export function promptNameOf(text: string): string | undefined {
  const name = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._/-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, PROMPT_NAME_LENGTH_MAX)
    .replace(/-+$/, '')
  return name === '' ? undefined : name
}

/** As the server computes it: of JSON with sorted keys (RFC 8785). */
export function contentHash({ messages, provider, model, parameters, tools, responseFormat }: PromptContent): string {
  const text = canonicalJson({ messages, provider, model, parameters, tools, responseFormat })
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isFields(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`
}
