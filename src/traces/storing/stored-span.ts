/** Converts a stored row back to the span that was sent, as input of the mapping. */

import type { MappableSpan } from '../semconv/conventions/convention.ts'
import { attributesJson, readAttributes } from './build-span-row.ts'
import type { AttributeValue, ReceivedEvent, ResourceScope } from './received-span.ts'

type StoredRow = {
  name: string
  sentName: string | null
  status: string
  statusMessage: string | null
  /** The values that were sent, where the columns above have mapped values; omitted where they are not needed. */
  sentStatus?: string | null
  sentStatusMessage?: string | null
  input: string | null
  inputFrom: string | null
  output: string | null
  outputFrom: string | null
  attributes: string
  events: string | null
}

export function storedSpan(row: StoredRow, resourceScope: ResourceScope): MappableSpan {
  const status = row.sentStatus ?? row.status
  const attributes = readAttributes(row.attributes)
  // The text is stored once, in its own column. It is added to the attributes again here.
  if (row.inputFrom !== null && row.input !== null) attributes.set(row.inputFrom, row.input)
  if (row.outputFrom !== null && row.output !== null) attributes.set(row.outputFrom, row.output)
  return {
    name: row.sentName ?? row.name,
    attributes,
    events: row.events === null ? [] : readEvents(row.events),
    status: status === 'error' || status === 'ok' ? status : 'unset',
    statusMessage: row.sentStatusMessage ?? row.statusMessage ?? '',
    resourceScope,
  }
}

type StoredEvent = { timeNs: string; name: string; attributes: Record<string, AttributeValue> }

/** Parses the output of `eventsJson`. */
export function readEvents(json: string): ReceivedEvent[] {
  const stored: StoredEvent[] = JSON.parse(json)
  return stored.map(({ timeNs, name, attributes }) => ({
    timeNs: BigInt(timeNs),
    name,
    attributes: new Map(Object.entries(attributes)),
  }))
}

/** The displayed part of an event: its attributes, written as JSON without a plain object in between. */
export function eventBody({ attributes }: ReceivedEvent): string {
  return attributesJson(attributes)
}

export const UNKNOWN_RESOURCE_SCOPE: ResourceScope = {
  resource: new Map(),
  scopeName: '',
  scopeVersion: '',
  scopeAttributes: new Map(),
}

type StoredScope = { name: string; version: string; attributes: Record<string, AttributeValue> }

export function readResourceScope({ resource, scope }: { resource: string; scope: string }): ResourceScope {
  const { name, version, attributes }: StoredScope = JSON.parse(scope)
  return {
    resource: readAttributes(resource),
    scopeName: name,
    scopeVersion: version,
    scopeAttributes: new Map(Object.entries(attributes)),
  }
}
