import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { AppError, badRequest } from '../base/errors.ts'
import type { SaveVersionBody } from './prompt-schemas.ts'
import { namesIn, type TemplateMessage } from './template.ts'

const CONTENT_BYTES_MAX = 262_144

export type VersionContent = {
  messages: TemplateMessage[]
  provider: string | null
  model: string | null
  parameters: Record<string, unknown>
  tools: Record<string, unknown>[]
  responseFormat: Record<string, unknown> | null
}

export type PreparedContent = { text: string; hash: string; variables: string[]; placeholders: string[] }

/** Adds the defaults, so that a field that is omitted and its default are the same content, and checks what the schema cannot. */
export function prepareContent(given: Static<typeof SaveVersionBody>['content']): PreparedContent {
  const { provider = null, model = null, parameters = {}, tools = [], responseFormat = null } = given
  const messages: TemplateMessage[] = given.messages.map((message) =>
    'placeholder' in message ? { placeholder: message.placeholder } : { role: message.role, content: message.content },
  )
  const content: VersionContent = { messages, provider, model, parameters, tools, responseFormat }
  const text = JSON.stringify(content)
  const bytes = Buffer.byteLength(text)
  if (bytes > CONTENT_BYTES_MAX)
    throw new AppError(
      413,
      `The content has ${bytes} bytes and a version at most ${CONTENT_BYTES_MAX}; shorten its messages, or pass long texts as variables`,
    )
  const names = namesIn(messages)
  const variables = new Set(names.variables)
  const doubled = names.placeholders.find((name) => variables.has(name))
  if (doubled !== undefined)
    throw badRequest(`${doubled} is both a variable and a placeholder of the prompt; rename one of them`)
  return { text, hash: hashContent(content), ...names }
}

/** Equal contents have the same. */
export function hashContent(content: VersionContent): string {
  return `sha256:${createHash('sha256').update(canonicalJson(content)).digest('hex')}`
}

/** With sorted keys (RFC 8785). The body has bounded depth, so recursion is safe. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const fields: Record<string, unknown> = Object(value)
  const entries = Object.keys(fields)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(fields[key])}`)
  return `{${entries.join(',')}}`
}
