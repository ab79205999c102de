/** What a user has written for a prompt and not saved as a version. It is kept in the browser with every letter. */
import type { PromptContent, PromptMessage } from '../../api/generated/api.ts'
import { readRecord, removeRecord, writeRecord } from '../annotate/browser-records.ts'

export interface PromptDraft {
  /** The version that it changes; null for the first one. */
  base: number | null
  /** The newest version that its author has seen; 0 if there was none. */
  seen: number
  content: PromptContent
}

export const EMPTY_CONTENT: PromptContent = {
  messages: [{ role: 'system', content: '' }],
  provider: null,
  model: null,
  parameters: {},
  tools: [],
  responseFormat: null,
}

export function draftKey(userId: string, promptId: string): string {
  return `touchstone.prompt-draft.${userId}.${promptId}`
}

/** Returns false if the storage is full or blocked. */
export function writeDraft(key: string, draft: PromptDraft | undefined): boolean {
  if (draft) return writeRecord(key, draft)
  removeRecord(key)
  return true
}

/** Undefined if there is none, or if it is not of this form. */
export function readDraft(key: string): PromptDraft | undefined {
  const record = readRecord(key)
  if (!isObject(record)) return undefined
  const { base, seen } = record
  const content = readContent(record['content'])
  if (content === undefined || typeof seen !== 'number' || (base !== null && typeof base !== 'number')) return undefined
  return { base, seen, content }
}

export function readContent(value: unknown): PromptContent | undefined {
  if (!isObject(value) || !Array.isArray(value['messages'])) return undefined
  const messages = value['messages'].map(readMessage).filter((message) => message !== undefined)
  const { parameters, tools, responseFormat } = value
  if (messages.length === 0 || messages.length < value['messages'].length) return undefined
  return {
    messages,
    provider: textOrNull(value['provider']),
    model: textOrNull(value['model']),
    parameters: isObject(parameters) ? parameters : {},
    tools: Array.isArray(tools) ? tools.filter(isObject) : [],
    responseFormat: isObject(responseFormat) ? responseFormat : null,
  }
}

export const messageRoles = ['system', 'developer', 'user', 'assistant'] as const

function readMessage(value: unknown): PromptMessage | undefined {
  if (!isObject(value)) return undefined
  const { placeholder, content } = value
  if (typeof placeholder === 'string') return { placeholder }
  const role = messageRoles.find((known) => known === value['role'])
  return role && typeof content === 'string' ? { role, content } : undefined
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
