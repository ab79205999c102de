/** What instrumentations of real libraries sent, one file each, and what their traces must say. */
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Client } from '../harness/client.ts'

const sent = join(import.meta.dirname, 'sent')
const golden = join(import.meta.dirname, 'golden')

/** `logs` are the log records of the same calls, if the library sends messages in them. */
export type Recording = { name: string; text: string; logs: string | undefined; traceIds: string[] }

const LOGS = '.logs.json'

export const RECORDINGS: readonly Recording[] = globSync('*.json', { cwd: sent, exclude: [`*${LOGS}`] })
  .sort()
  .map((path) => {
    const text = readFileSync(join(sent, path), 'utf8')
    const traceIds = new Set([...text.matchAll(/"traceId":\s*"([0-9a-f]{32})"/g)].map(([, id = '']) => id))
    const name = basename(path, '.json')
    const logs = join(sent, `${name}${LOGS}`)
    return { name, text, logs: existsSync(logs) ? readFileSync(logs, 'utf8') : undefined, traceIds: [...traceIds] }
  })

export function readGolden(name: string): Record<string, Golden> {
  return JSON.parse(readFileSync(join(golden, `${name}.json`), 'utf8'))
}

export function writeGolden(name: string, traces: unknown): void {
  mkdirSync(golden, { recursive: true })
  writeFileSync(join(golden, `${name}.json`), `${JSON.stringify(traces, null, 1)}\n`)
}

type Json = Record<string, unknown>

/** What a golden file says of a trace. */
export type Golden = { name: string; input: string | null; output: string | null; spans: GoldenSpan[] } & Json
type GoldenSpan = { messages: { role: string; parts: unknown[] }[] | null } & Json

/** Sends a recording, with these attributes of the resource instead of those that connected it with something. */
export async function send(
  client: Client,
  { text, logs }: Recording,
  resource: Record<string, string> = {},
): Promise<void> {
  const request: { resourceSpans: { resource: { attributes: { key: string; value: unknown }[] } }[] } = JSON.parse(text)
  const added = Object.entries(resource).map(([key, stringValue]) => ({ key, value: { stringValue } }))
  for (const { resource: own } of request.resourceSpans) {
    own.attributes = [...own.attributes.filter(({ key }) => !key.startsWith('touchstone.')), ...added]
  }
  const { status, text: response } = await client.post('/v1/traces', request)
  if (status !== 200 || response !== '{}') throw new Error(`${status} ${response}`)
  if (logs === undefined) return
  const answer = await client.post('/v1/logs', JSON.parse(logs))
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
}

/** What a trace says, without what differs each time that it is stored. */
export async function readTrace(client: Client, traceId: string): Promise<Json & { spans: Json[] }> {
  const { status, text, body } = await client.get(`/traces/${traceId}`)
  if (status !== 200 || !Array.isArray(body.spans)) throw new Error(`${status} ${text}`)
  const spans: Json[] = body.spans
  return { ...body, spans }
}

const OF_TRACE = ['name', 'status', 'input', 'output', 'totalTokens', 'totalCostUsd', 'sessionId', 'userId', 'tags']
const OF_SPAN = [
  ...['name', 'kind', 'status', 'statusMessage', 'model', 'provider', 'inputTokens', 'outputTokens', 'costUsd'],
  ...['costBasis', 'messages', 'modelParameters'],
]

export function meaningOf(trace: Json & { spans: Json[] }): Json {
  return { ...only(trace, OF_TRACE), spans: trace.spans.map((span) => only(span, OF_SPAN)) }
}

function only(object: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, rounded(object[name])]))
}

/** Sums of dollars differ in their last digit by the order in which they were added. */
function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(10)) : value
}
