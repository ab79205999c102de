import { invariant } from '../../base/invariant.ts'
import { cleanText } from '../../base/text.ts'
import {
  PROMPT_SOURCES,
  type PromptSource,
  type SpanKind,
  TRACE_SOURCES,
  type TraceSource,
} from '../storing/mapped-span.ts'
import type { AttributeValue } from '../storing/received-span.ts'
import { type Assembly, type Convention, FIELDS, type Field, type Reader } from './conventions/convention.ts'
import { CONVENTIONS } from './conventions/conventions.ts'
import { parseGuarded } from './json/guarded-json.ts'
import { normalizeProvider } from './provider-names.ts'
import { readAmount, readCount, readUsageDetails } from './usage-details.ts'

/**
 * The tables of all conventions, inverted once at startup: from the key of an attribute to its possible fields. Mapping a span,
 * explaining the mapping and finding unused attributes share these rules, so that they always agree.
 */
export type FieldRule = {
  field: Field
  slot: number
  /** Within a field, the lowest rank wins. */
  rank: number
  /** Null for texts that are assembled from several attributes. */
  key: string | null
  convention: string
  read: Reader
  /** Whether the attribute contains no more than the result of `read`. */
  isWhole: boolean
  /** Whether `read` may parse the value. If so, it is called only if no better attribute has the field. */
  isParsed: boolean
}

export type AssemblyRule = FieldRule & { assembly: Assembly; bit: number }

type KeyRules = { fieldRules: readonly FieldRule[]; assemblyBits: number }

export const SLOTS: Readonly<Record<Field, number>> = slotsByField()

const READERS: Readonly<Record<Exclude<Field, 'kind'>, Reader>> = {
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
  source: readTraceSource,
  prompt: readText,
  promptName: readText,
  promptVersion: readText,
  promptLabel: readText,
  promptSource: readPromptSource,
}

const keyRules = new Map<string, { fieldRules: FieldRule[]; assemblyBits: number }>()
const eventBits = new Map<string, number>()
const prefixBits = new Map<string, number>()
const places = new Map<string, number>()

export const ASSEMBLY_RULES: AssemblyRule[] = []
export const RULES_BY_KEY: ReadonlyMap<string, KeyRules> = keyRules
export const ASSEMBLY_BITS_BY_EVENT: ReadonlyMap<string, number> = eventBits

compile(CONVENTIONS)

const prefixes = [...prefixBits].map(([prefix, bits]) => ({ prefix, bits }))
const prefixesByFirst = Map.groupBy(prefixes, ({ prefix }) => prefix.charCodeAt(0))

/** The assemblies of a key, by prefix: messages are often spread over keys that contain an index. */
export function assemblyBitsByPrefix(key: string): number {
  const candidates = prefixesByFirst.get(key.charCodeAt(0))
  if (candidates === undefined) return 0
  let found = 0
  for (const { prefix, bits } of candidates) if (key.startsWith(prefix)) found |= bits
  return found
}

function compile(conventions: readonly Convention[]): void {
  let rank = 0
  for (const { name: convention, fields = {}, kinds = {} } of conventions) {
    for (const [key, kindByValue] of Object.entries(kinds)) {
      rank += 1
      addFieldRule({
        field: 'kind',
        rank,
        key,
        convention,
        read: kindReader(kindByValue),
        isWhole: true,
        isParsed: false,
      })
    }
    for (const field of FIELDS) {
      if (field === 'kind') continue
      for (const source of fields[field] ?? []) {
        rank += 1
        const rule = { field, rank, convention, read: READERS[field], isWhole: true, isParsed: false }
        if (typeof source === 'string') addFieldRule({ ...rule, key: source })
        else if ('key' in source) addFieldRule({ ...rule, isWhole: false, isParsed: true, ...source })
        else addAssembly({ ...rule, key: null, slot: SLOTS[field], assembly: source, bit: bitOf(source) })
      }
    }
  }
  for (const { name: convention, impliedKinds = {}, parameters } of conventions) {
    for (const [key, kind] of Object.entries(impliedKinds)) {
      rank += 1
      const read: Reader = (value) => (value === '' ? undefined : kind)
      // An attribute that implies a kind primarily has another meaning.
      addFieldRule({ field: 'kind', rank, key, convention, read, isWhole: false, isParsed: false })
    }
    // A model setting is not a field. Registering its key avoids comparing it with all prefixes.
    for (const key of [...Object.keys(parameters?.keys ?? {}), ...(parameters?.objects ?? [])]) rulesOf(key)
  }
}

function addFieldRule(rule: Omit<FieldRule, 'slot'> & { key: string }): void {
  const { fieldRules } = rulesOf(rule.key)
  const twin = fieldRules.find(({ field, read }) => field === rule.field && read === rule.read)
  // Two conventions use the same key for the same field: the rule has the better rank and both names.
  if (twin) twin.convention = `${twin.convention}, ${rule.convention}`
  else fieldRules.push(inOneShape(rule))
}

/** Every span reads these objects. With properties in the same order, V8 reads them without lookups. */
function inOneShape({ field, rank, key, convention, read, isWhole, isParsed }: Omit<FieldRule, 'slot'>): FieldRule {
  return { field, slot: SLOTS[field], rank, key, convention, read, isWhole, isParsed }
}

/** The assemblies that were seen are bits of one number. Assemblies with the same triggers share a bit. */
function bitOf({ keys, prefixes, events }: Assembly): number {
  const seenBy = JSON.stringify([keys, prefixes, events])
  const place = places.get(seenBy) ?? places.size
  invariant(place < 31, 'there are more assemblies than bits')
  places.set(seenBy, place)
  return 1 << place
}

function addAssembly(rule: AssemblyRule): void {
  const { keys = [], prefixes = [], events = [] } = rule.assembly
  ASSEMBLY_RULES.push(rule)
  for (const key of keys) rulesOf(key).assemblyBits |= rule.bit
  for (const prefix of prefixes) prefixBits.set(prefix, (prefixBits.get(prefix) ?? 0) | rule.bit)
  for (const event of events) eventBits.set(event, (eventBits.get(event) ?? 0) | rule.bit)
}

function rulesOf(key: string): { fieldRules: FieldRule[]; assemblyBits: number } {
  const known = keyRules.get(key)
  if (known) return known
  const added = { fieldRules: [], assemblyBits: 0 }
  keyRules.set(key, added)
  return added
}

function kindReader(kindByValue: Readonly<Record<string, SpanKind>>): Reader {
  const kinds = new Map(Object.entries(kindByValue).map(([value, kind]) => [value.toLowerCase(), kind]))
  return (value: AttributeValue) => {
    if (typeof value !== 'string') return undefined
    // MLflow writes every value as JSON, including the quotes.
    const word = value.startsWith('"') ? value.slice(1, -1) : value
    return kinds.get(word) ?? kinds.get(word.toLowerCase().split(' ', 1)[0] ?? '')
  }
}

function slotsByField(): Record<Field, number> {
  const slots = FIELDS.map((field, slot) => [field, slot])
  return Object.fromEntries(slots)
}

/** More are data rather than tags, and each costs an index entry. */
const TAGS_MAX = 100
/** LangChain numbers the steps of its chains by tags. */
const STEP_TAG = /^(?:(?:seq|graph):step:\d+|map:key:.*|langsmith:hidden)$/s
/** Bounds the work for a text of a million commas. */
const NAMES_READ_MAX = 1_000

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

function readTraceSource(value: AttributeValue): TraceSource | undefined {
  return TRACE_SOURCES.find((known) => known === value)
}

function readPromptSource(value: AttributeValue): PromptSource | undefined {
  return PROMPT_SOURCES.find((known) => known === value)
}

/** A list, a list as JSON, or names separated by commas. */
function readTags(value: AttributeValue): string[] | undefined {
  const parsed = typeof value === 'string' ? (parseGuarded(value) ?? value.split(',', NAMES_READ_MAX)) : value
  if (!Array.isArray(parsed)) return undefined
  const tags: string[] = []
  for (const entry of parsed) {
    const tag = typeof entry === 'string' || typeof entry === 'number' ? cleanText(String(entry)) : ''
    if (tag !== '' && !STEP_TAG.test(tag) && tags.length < TAGS_MAX && !tags.includes(tag)) tags.push(tag)
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
