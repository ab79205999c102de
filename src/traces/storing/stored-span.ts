/** Makes of a stored row what the mapping understands: the span as it was sent. */

import type { MappableSpan } from '../semconv/convention.ts'
import { attributesJson, readAttributes } from './build-span-row.ts'
import type { AttributeValue, Origin, ReceivedEvent } from './received-span.ts'

type StoredRow = {
  name: string
  sentName: string | null
  status: string
  statusMessage: string | null
  /** What was sent, where the columns above hold what the mapping made of it; left out where that does not matter. */
  sentStatus?: string | null
  sentStatusMessage?: string | null
  input: string | null
  inputFrom: string | null
  output: string | null
  outputFrom: string | null
  attributes: string
  events: string | null
}

export function storedSpan(row: StoredRow, origin: Origin): MappableSpan {
  const status = row.sentStatus ?? row.status
  const attributes = readAttributes(row.attributes)
  // The text is kept once, in its own column; here it takes its place among the attributes again.
  if (row.inputFrom !== null && row.input !== null) attributes.set(row.inputFrom, row.input)
  if (row.outputFrom !== null && row.output !== null) attributes.set(row.outputFrom, row.output)
  return {
    name: row.sentName ?? row.name,
    attributes,
    events: row.events === null ? [] : readEvents(row.events),
    status: status === 'error' || status === 'ok' ? status : 'unset',
    statusMessage: row.sentStatusMessage ?? row.statusMessage ?? '',
    origin,
  }
}

type StoredEvent = { timeNs: string; name: string; attributes: Record<string, AttributeValue> }

/** Reads what `eventsJson` wrote. */
export function readEvents(json: string): ReceivedEvent[] {
  const stored: StoredEvent[] = JSON.parse(json)
  return stored.map(({ timeNs, name, attributes }) => ({
    timeNs: BigInt(timeNs),
    name,
    attributes: new Map(Object.entries(attributes)),
  }))
}

/** What is shown of an event: its attributes, as JSON that was never an ordinary object. */
export function eventBody({ attributes }: ReceivedEvent): string {
  return attributesJson(attributes)
}

export const UNKNOWN_ORIGIN: Origin = {
  resource: new Map(),
  scopeName: '',
  scopeVersion: '',
  scopeAttributes: new Map(),
}

type StoredScope = { name: string; version: string; attributes: Record<string, AttributeValue> }

export function readOrigin({ resource, scope }: { resource: string; scope: string }): Origin {
  const { name, version, attributes }: StoredScope = JSON.parse(scope)
  return {
    resource: readAttributes(resource),
    scopeName: name,
    scopeVersion: version,
    scopeAttributes: new Map(Object.entries(attributes)),
  }
}
