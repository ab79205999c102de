/** A trace as the API answers it, with as much of a type as tests need to look into it. */
import type { Client } from '../harness/client.ts'

type StoredPart = { type: string; text?: string; name?: string; arguments?: unknown; result?: unknown }

export type StoredSpan = {
  spanId: string
  parentSpanId: string | null
  name: string
  kind: string
  startTime: string
  endTime: string | null
  status: string
  statusMessage: string | null
  input: string | null
  output: string | null
  messages: { role: string; parts: StoredPart[] }[] | null
  metadata: Record<string, unknown>
  model: string | null
  provider: string | null
  inputTokens: number | null
  outputTokens: number | null
  totalTokens: number | null
  costUsd: number | null
  events: { name: string; timestamp: string; body: Record<string, unknown> }[]
}

export type StoredTrace = {
  id: string
  traceId: string
  name: string | null
  status: string
  aiComponentId: string | null
  componentName: string | null
  sessionId: string | null
  userId: string | null
  input: string | null
  output: string | null
  startTime: string
  endTime: string | null
  durationMs: number | null
  totalTokens: number | null
  totalCostUsd: number | null
  spans: StoredSpan[]
}

/** Fails unless it is there. */
export async function readTrace(client: Client, traceId: string): Promise<StoredTrace> {
  const { status, text } = await client.get(`/traces/${traceId}`)
  if (status !== 200) throw new Error(`GET /traces/${traceId}: ${status} ${text}`)
  return JSON.parse(text)
}

/** Fails unless it is the only one. */
export async function readOnlyTrace(client: Client): Promise<StoredTrace> {
  const traces = await client.list('/traces')
  if (traces.length !== 1) throw new Error(`there are ${traces.length} traces: ${JSON.stringify(traces)}`)
  return readTrace(client, String(traces[0]?.traceId))
}

/** Fails unless there is exactly one span of that name. */
export function spanNamed({ spans }: StoredTrace, name: string): StoredSpan {
  const [span, another] = spans.filter((candidate) => candidate.name === name)
  if (!span || another) throw new Error(`not exactly one ${name} among ${spans.map((each) => each.name).join(', ')}`)
  return span
}
