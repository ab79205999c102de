import type { MappedText, SpanKind } from '../storing/mapped-span.ts'
import type { AttributeValue, ReceivedSpan } from '../storing/received-span.ts'

/** What of a span carries meaning; times and ids do not. */
export type MappableSpan = Pick<ReceivedSpan, 'name' | 'attributes' | 'events' | 'status' | 'statusMessage' | 'origin'>

/** Every question that an attribute can answer. The order has no meaning; which attribute wins is said by the conventions. */
export const FIELDS = [
  'kind',
  'entityName',
  'toolName',
  'agentName',
  'chainName',
  'operationName',
  'messageName',
  'traceName',
  'input',
  'output',
  'model',
  'requestedModel',
  'provider',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'usageDetails',
  'costUsd',
  'inputCostUsd',
  'outputCostUsd',
  'sessionId',
  'userId',
  'tags',
  'environment',
  'failure',
  'statusMessage',
  'exceptionMessage',
  'errorType',
  'component',
  'dataset',
  'run',
  'datasetId',
  'itemId',
] as const

export type Field = (typeof FIELDS)[number]

/** Gives undefined when a value says nothing about its field, so that the next source has its turn. */
export type Reader = (value: AttributeValue) => unknown

/** Where the value of a field is: under a key, somewhere inside of what is under a key, or spread over several. */
export type Source = string | ReadSource | Assembly

/**
 * A value that `read` finds inside of an attribute, which may say more; or, with `isWhole`, all that the attribute says. It is read after
 * all others, because most readers parse the attribute; with `isParsed: false` it is read at once.
 */
type ReadSource = { key: string; read: Reader; isWhole?: true; isParsed?: false }

/**
 * A text that has to be put together from several attributes or events. It stands in the list of its field like a key does,
 * and counts as empty when it gives null.
 */
export type Assembly = {
  /** Trying it costs time, so it is tried only when one of these was seen. */
  keys?: readonly string[]
  prefixes?: readonly string[]
  events?: readonly string[]
  assemble: (span: MappableSpan) => MappedText | null
  /** Whether an attribute that it was seen by becomes a part of the text; left out: all do. */
  uses?: (key: string) => boolean
}

/** One way of naming things, as data. In each list the earlier entry wins. */
export type Convention = {
  name: string
  fields?: Partial<Record<Exclude<Field, 'kind'>, readonly Source[]>>
  /** By key: what each value, in lower case and up to its first space, says about the kind. */
  kinds?: Readonly<Record<string, Readonly<Record<string, SpanKind>>>>
  /** By key: the kind that its mere presence suggests, when no convention says more. */
  impliedKinds?: Readonly<Record<string, SpanKind>>
  parameters?: ParameterTable
}

/** Where the settings of a model call are. */
type ParameterTable = {
  /** By key: the name of the setting. */
  keys?: Readonly<Record<string, string>>
  /** Keys whose value is an object of settings, or such an object as JSON. */
  objects?: readonly string[]
  /** Below these, the rest of the key is the name. */
  prefixes?: readonly string[]
  /** Below these, a list of tools is spread over many keys. */
  toolPrefixes?: readonly string[]
}
