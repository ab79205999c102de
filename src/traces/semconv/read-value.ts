import type { AttributeValue } from '../storing/received-span.ts'
import { cleanText } from './clean-text.ts'
import type { Field, Reader } from './conventions/convention.ts'
import { parseGuarded } from './json/guarded-json.ts'
import { normalizeProvider } from './provider-names.ts'
import { readAmount, readCount, readUsageDetails } from './usage-details.ts'

/** More are data rather than tags, and each costs an index entry. */
const TAGS_MAX = 100
/** Bounds the work for a text of a million commas. */
const NAMES_READ_MAX = 1_000

export const READERS: Readonly<Record<Exclude<Field, 'kind'>, Reader>> = {
  entityName: readText,
  toolName: readText,
  agentName: readText,
  chainName: readText,
  operationName: readText,
  messageName: readText,
  traceName: readText,
  input: readPayload,
  output: readPayload,
  model: readText,
  requestedModel: readText,
  provider: readProvider,
  inputTokens: readCount,
  outputTokens: readCount,
  totalTokens: readCount,
  cacheReadTokens: readCount,
  cacheWriteTokens: readCount,
  reasoningTokens: readCount,
  usageDetails: readUsageDetails,
  costUsd: readAmount,
  inputCostUsd: readAmount,
  outputCostUsd: readAmount,
  sessionId: readText,
  userId: readText,
  tags: readTags,
  environment: readText,
  failure: readFailure,
  statusMessage: readLongText,
  exceptionMessage: readLongText,
  errorType: readText,
  component: readText,
  dataset: readText,
  run: readText,
  datasetId: readText,
  itemId: readText,
}

function readText(value: AttributeValue): string | undefined {
  if (typeof value === 'string') return cleanText(value) || undefined
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return undefined
}

function readLongText(value: AttributeValue): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function readProvider(value: AttributeValue): string | undefined {
  const text = readText(value)
  return text === undefined ? undefined : normalizeProvider(text)
}

function readPayload(value: AttributeValue): AttributeValue | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value
  if (typeof value !== 'object') return value
  if (value === null) return undefined
  for (const _ in value) return value
  return undefined
}

/** A list, a list as JSON, or names separated by commas. */
function readTags(value: AttributeValue): string[] | undefined {
  const parsed = typeof value === 'string' ? (parseGuarded(value) ?? value.split(',', NAMES_READ_MAX)) : value
  if (!Array.isArray(parsed)) return undefined
  const tags: string[] = []
  for (const entry of parsed) {
    const tag = typeof entry === 'string' || typeof entry === 'number' ? cleanText(String(entry)) : ''
    if (tag !== '' && tags.length < TAGS_MAX && !tags.includes(tag)) tags.push(tag)
  }
  return tags.length > 0 ? tags : undefined
}

/** `error` as a finish reason (one of several, or the only one) or as a level. Other values do not indicate a failure. */
function readFailure(value: AttributeValue): true | undefined {
  if (typeof value === 'string') {
    const word = value.toLowerCase()
    if (word === 'error') return true
    return word.startsWith('[') && word.includes('"error"') ? true : undefined
  }
  return Array.isArray(value) && value.includes('error') ? true : undefined
}
