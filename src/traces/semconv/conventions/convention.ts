import type { MappedText, SpanKind } from '../../storing/mapped-span.ts'
import type { AttributeValue, ReceivedSpan } from '../../storing/received-span.ts'

/** The parts of a span that the mapping reads; excludes times and ids. */
export type MappableSpan = Pick<
  ReceivedSpan,
  'name' | 'attributes' | 'events' | 'status' | 'statusMessage' | 'resourceScope'
>

/** Every field that an attribute can provide. The order has no meaning; the conventions define which attribute wins. */
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
  'source',
  'prompt',
  'promptName',
  'promptVersion',
  'promptLabel',
  'promptSource',
] as const

export type Field = (typeof FIELDS)[number]

/** Returns undefined if a value does not provide the field, so that the next source is tried. */
export type Reader = (value: AttributeValue) => unknown

/** The location of a field's value: a key, inside the value of a key, or spread over several keys. */
export type Source = string | ReadSource | Assembly

/**
 * A value that `read` finds inside an attribute, which may contain more; with `isWhole`, it is all that the attribute contains. Read
 * after all others, because most readers parse the attribute; with `isParsed: false`, it is read immediately.
 */
type ReadSource = { key: string; read: Reader; isWhole?: true; isParsed?: false }

/**
 * A text that is built from several attributes or events. It is in the list of its field like a key, and counts as empty if it returns
 * null.
 */
export type Assembly = {
  /** Building the text is expensive, so it is tried only if one of these was seen. */
  keys?: readonly string[]
  prefixes?: readonly string[]
  events?: readonly string[]
  assemble: (span: MappableSpan) => MappedText | null
  /** Whether an attribute with one of these keys becomes part of the text; by default, all do. */
  uses?: (key: string) => boolean
}

/** A naming convention, as data. In each list, earlier entries win. */
export type Convention = {
  name: string
  fields?: Partial<Record<Exclude<Field, 'kind'>, readonly Source[]>>
  /** By key: the kind for each value, in lower case and up to its first space. */
  kinds?: Readonly<Record<string, Readonly<Record<string, SpanKind>>>>
  /** By key: the kind that the presence of the key implies, if no convention provides a kind. */
  impliedKinds?: Readonly<Record<string, SpanKind>>
  parameters?: ParameterTable
}

/** The location of the settings of a model call. */
type ParameterTable = {
  /** By key: the name of the setting. */
  keys?: Readonly<Record<string, string>>
  /** Keys whose value is an object of settings, or such an object as JSON. */
  objects?: readonly string[]
  /** For these prefixes, the rest of the key is the name. */
  prefixes?: readonly string[]
  /** For these prefixes, a list of tools is spread over many keys. */
  toolPrefixes?: readonly string[]
}
