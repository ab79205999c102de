/** A prompt with a connection to a model of a test, and tries of it. */
import { expect, onTestFinished } from 'vitest'
import type { ProviderKind } from '../../src/llm/chat.ts'
import { browserWith } from '../conformance/team.ts'
import { eventsOf, type ServerSentEvent } from '../harness/event-stream.ts'
import { type ModelServer, type ModelServerOptions, startModelServer } from '../harness/model-server.ts'
import type { TestApp } from '../harness/test-app.ts'
import { type SeededPrompt, seedPrompt } from '../prompts/seed-prompt.ts'

export const API_KEY = 'sk-test-4f9Zq81LmN0pXw7RtYcVbE3u'

export type Row = Record<string, unknown>

export type Playground = SeededPrompt & { server: ModelServer; app: TestApp }

export const CONTENT = {
  messages: [
    { role: 'system', content: 'You answer for {{company}}.' },
    { role: 'user', content: '{{question}}' },
  ],
  provider: 'models',
}
export const VARIABLES = { company: 'Halden', question: 'Where is my invoice?' }

export const FIND_INVOICE = {
  type: 'function',
  function: {
    name: 'find_invoice',
    description: 'Finds an invoice',
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  },
}
export const TODAY = { type: 'function', function: { name: 'today' } }

export async function seedPlayground(
  app: TestApp,
  { kind = 'openai', connection = {}, ...options }: ModelServerOptions & { kind?: ProviderKind; connection?: Row } = {},
): Promise<Playground> {
  const prompt = await seedPrompt(app)
  const admin = await browserWith(app, prompt.workspaceId, 'admin')
  const server = await startModelServer({ kind, answer: () => 'It is on its way.', ...options })
  onTestFinished(() => server.close())
  const models = {
    name: 'models',
    kind,
    baseUrl: server.baseUrl,
    apiKey: API_KEY,
    models: ['model-1'],
    concurrency: 100,
  }
  await admin.create('/connections', { ...models, ...connection })
  return { ...prompt, server, app }
}

export type Tried = { events: ServerSentEvent[]; end: Row; texts: string }

/** Sends a try and returns the response, before its stream is read. */
export function sendTry({ app, key, path }: Pick<Playground, 'app' | 'key' | 'path'>, body: Row, signal?: AbortSignal) {
  return fetch(`${app.url}/api/v1${path}/try`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
}

/** A try that begins, read to its end. */
export async function tried(playground: Playground, body: Row = {}): Promise<Tried> {
  const response = await sendTry(playground, { content: CONTENT, variables: VARIABLES, ...body })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const events: ServerSentEvent[] = []
  for await (const event of eventsOf(response)) events.push(event)
  const texts = events.flatMap(({ name, data }) => (name === 'text' ? [String(data.text)] : [])).join('')
  const last = events.at(-1)
  expect(last?.name).toBe('end')
  expect(events[0]?.name).toBe('start')
  return { events, end: last?.data ?? {}, texts }
}

/** A try that is rejected before it begins. */
export async function rejected(playground: Playground, body: Row = {}): Promise<{ status: number; error: string }> {
  const response = await sendTry(playground, { content: CONTENT, variables: VARIABLES, ...body })
  const sent: Row = Object(await response.json())
  expect(Object.keys(sent)).toEqual(['error'])
  return { status: response.status, error: String(sent.error) }
}

/** The spans of a trace, in order of their start. */
export async function spansOf({ client }: Playground, traceId: unknown): Promise<Row[]> {
  const { status, body, text } = await client.get(`/traces/${traceId}`)
  expect(status, text).toBe(200)
  return Array.isArray(body.spans) ? body.spans : []
}

export async function price(playground: Playground, rates: Row = {}): Promise<void> {
  const row = { modelPattern: 'model-1', inputPerMillion: 0, outputPerMillion: 100, ...rates }
  await playground.client.create('/prices', row)
}

export async function limit({ app, workspaceId }: Playground, maxUsdPerDay: number | null): Promise<void> {
  const admin = await browserWith(app, workspaceId, 'admin')
  const { status, text } = await admin.send('PUT', '/spending', { body: { maxUsdPerDay, maxUsdPer30Days: null } })
  expect(status, text).toBe(200)
}

export async function spentToday({ client }: Playground): Promise<Row> {
  return Object((await client.get('/spending')).body.today)
}
