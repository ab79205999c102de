/** A prompt with versions, a dataset, and trials of them. */
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import type { ModelServerOptions } from '../harness/model-server.ts'
import type { TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Playground, type Row, seedPlayground } from '../playground/trying.ts'

export type Component = {
  app: TestApp
  client: Client
  workspaceId: string
  key: string
  componentId: string
  datasetId: string
}

/** A component with a dataset; the items are questions `question 1` and so on, or given. */
export async function seedComponent(app: TestApp, items: number | Row[] = 3): Promise<Component> {
  const { client, workspaceId, key } = await app.newWorkspace()
  const componentId = await client.create('/components', { name: 'Support' })
  const datasetId = await seedDataset(client, componentId, items)
  return { app, client, workspaceId, key, componentId, datasetId }
}

export async function seedDataset(client: Client, componentId: string, items: number | Row[]): Promise<string> {
  const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Questions' })
  const rows = typeof items === 'number' ? questions(items) : items
  const path = `/components/${componentId}/datasets/${datasetId}`
  if (rows.length > 100) {
    const lines = rows.map((row) => JSON.stringify(row)).join('\n')
    const { status, text } = await client.post(`${path}/import`, lines, { 'content-type': 'application/x-ndjson' })
    expect([200, 201], text).toContain(status)
    return datasetId
  }
  for (const row of rows) expect((await client.post(`${path}/items`, row)).status).toBe(201)
  return datasetId
}

function questions(count: number): Row[] {
  return Array.from({ length: count }, (_, place) => ({ input: JSON.stringify({ question: `question ${place + 1}` }) }))
}

export type PromptTrials = Playground & { datasetId: string }

/** A prompt with two versions, whose model is on this machine. */
export async function seedPromptTrials(
  app: TestApp,
  { items = 3, ...options }: ModelServerOptions & { items?: number | Row[]; connection?: Row } = {},
): Promise<PromptTrials> {
  const playground = await seedPlayground(app, options)
  const { client, path, componentId } = playground
  for (const text of ['Answer: {{question}}', 'Answer briefly: {{question}}']) {
    const content = { messages: [{ role: 'user', content: text }], provider: 'models', parameters: { maxTokens: 100 } }
    expect((await client.post(`${path}/versions`, { content })).status).toBe(201)
  }
  const datasetId = await seedDataset(client, componentId, items)
  return { ...playground, datasetId }
}

export function version(promptId: string, number: number, target: Row = {}): Row {
  return { target: { type: 'prompt', promptId, version: number, ...target } }
}

export const WORKER = { name: 'my code', target: { type: 'worker', queue: 'agent' } }

export function trialsPath({ componentId }: { componentId: string }): string {
  return `/components/${componentId}/trials`
}

export async function startTrial(
  of: { client: Client; componentId: string; datasetId: string },
  body: Row,
): Promise<{ id: string; path: string; runs: { variant: string; runId: string }[] }> {
  const { status, text, body: sent } = await of.client.post(trialsPath(of), { datasetId: of.datasetId, ...body })
  expect(status, text).toBe(202)
  const { id, runs }: { id?: unknown; runs?: { variant: string; runId: string }[] } = sent
  return { id: String(id), path: `${trialsPath(of)}/${id}`, runs: runs ?? [] }
}

export async function readTrial(client: Client, path: string): Promise<Row> {
  const { status, text, body } = await client.get(path)
  expect(status, text).toBe(200)
  return body
}

/** Waits until the trial has ended, or has the status. */
export async function trialWith(client: Client, path: string, statuses = ['completed', 'failed']): Promise<Row> {
  let progress: unknown
  return waitFor(
    `a trial that is ${statuses.join(' or ')}`,
    async () => {
      const trial = await readTrial(client, path)
      progress = JSON.stringify(trial.progress)
      const { total, done, failed, skipped }: Record<string, unknown> = Object(trial.progress)
      const isSettled = Number(done) + Number(failed) + Number(skipped) === total
      const isEnded = trial.status === 'completed' || trial.status === 'failed'
      return statuses.includes(String(trial.status)) && (isSettled || !isEnded) ? trial : undefined
    },
    () => progress,
  )
}

export type LeasedCall = {
  id: number
  trialId: string
  variant: string
  itemId: string
  input: unknown
  repetition: number
  traceId: string
  traceparent: string
  lease: string
}

export async function lease(client: Client, componentId: string, body: Row = {}): Promise<LeasedCall[]> {
  const asked = { queue: 'agent', max: 100, ...body }
  const { status, text, body: sent } = await client.post(`/components/${componentId}/calls/lease`, asked)
  expect(status, text).toBe(200)
  const { calls }: { calls?: LeasedCall[] } = sent
  return calls ?? []
}

/** Leases until there is a call: the trial plans its calls in the background. */
export async function leaseSome(client: Client, componentId: string, body: Row = {}): Promise<LeasedCall[]> {
  return waitFor('calls to lease', async () => {
    const calls = await lease(client, componentId, body)
    return calls.length > 0 ? calls : undefined
  })
}

export async function complete(client: Client, path: string, call: LeasedCall, output: unknown = 'fine') {
  return client.post(`${path}/calls/${call.id}/complete`, { lease: call.lease, output })
}

export async function release(client: Client, path: string, call: LeasedCall | undefined) {
  return client.post(`${path}/calls/${call?.id}/release`, { lease: call?.lease })
}

export async function fail(client: Client, path: string, call: LeasedCall, body: Row = {}) {
  return client.post(`${path}/calls/${call.id}/fail`, { lease: call.lease, error: 'it broke', ...body })
}

/** All calls of a trial, through the pages of the list. */
export async function allCalls(client: Client, path: string, query = ''): Promise<Row[]> {
  const calls: Row[] = []
  for (let cursor = ''; ; ) {
    const { status, text, body } = await client.get(`${path}/calls?limit=100${query}${cursor}`)
    expect(status, text).toBe(200)
    const { data, nextCursor }: { data?: Row[]; nextCursor?: string | null } = body
    calls.push(...(data ?? []))
    if (!nextCursor) return calls
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
}
