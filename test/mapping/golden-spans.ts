import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { AttributeValue, ReceivedSpan } from '../../src/traces/storing/received-span.ts'

const folder = join(import.meta.dirname, 'golden')

type SentAttributes = { [key: string]: AttributeValue }

/** A span as it is written in a golden file, and in tests. */
export type SentSpan = {
  name: string
  attributes: SentAttributes
  events?: { name: string; attributes: SentAttributes }[]
  status?: ReceivedSpan['status']
  statusMessage?: string
  resource?: SentAttributes
  scope?: { name: string; version: string }
}

type GoldenFile = { span: SentSpan; mapped?: unknown; messages?: unknown; modelParameters?: unknown }

export function readGoldenFiles(): { name: string; file: GoldenFile }[] {
  return globSync('*.json', { cwd: folder })
    .sort()
    .map((path) => ({ name: basename(path, '.json'), file: JSON.parse(readFileSync(join(folder, path), 'utf8')) }))
}

export function writeGoldenFile(name: string, file: GoldenFile): void {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(file, null, 2)}\n`)
}

export function receivedSpan(sent: SentSpan): ReceivedSpan {
  return {
    traceId: '0'.repeat(31).concat('1'),
    spanId: '0'.repeat(15).concat('1'),
    parentSpanId: null,
    name: sent.name,
    otelKind: 1,
    startNs: 0n,
    endNs: 1n,
    attributes: attributeMap(sent.attributes),
    events: (sent.events ?? []).map(({ name, attributes }) => ({
      timeNs: 0n,
      name,
      attributes: attributeMap(attributes),
    })),
    links: [],
    status: sent.status ?? 'unset',
    statusMessage: sent.statusMessage ?? '',
    resourceScope: {
      resource: attributeMap(sent.resource ?? {}),
      scopeName: sent.scope?.name ?? '',
      scopeVersion: sent.scope?.version ?? '',
      scopeAttributes: new Map(),
    },
    notes: [],
  }
}

/** A span with nothing but these attributes. */
export function spanWith(attributes: SentAttributes): ReceivedSpan {
  return receivedSpan({ name: 'span', attributes })
}

function attributeMap(attributes: SentAttributes): Map<string, AttributeValue> {
  return new Map(Object.entries(attributes))
}
