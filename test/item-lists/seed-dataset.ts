/** A dataset with two evaluated runs, made through the API alone. */
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import type { TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

export type Row = { id: string } & Record<string, unknown>

export type SeededDataset = {
  client: Client
  component: string
  dataset: string
  datasetId: string
  items: string[]
}

export async function seedDataset(app: TestApp, items: Record<string, unknown>[]): Promise<SeededDataset> {
  const { client } = await app.newWorkspace()
  const component = `/components/${await client.create('/components', { name: 'Answers' })}`
  const datasetId = await client.create(`${component}/datasets`, { name: 'Questions' })
  const dataset = `${component}/datasets/${datasetId}`
  const { body } = await client.post(`${dataset}/items`, items)
  return { client, component, dataset, datasetId, items: rowsOf(body).map(({ id }) => id) }
}

let traces = 0

/** `outputs` by item; undefined for an item that the run has no trace of. Each is evaluated by an exact match. */
export async function addRun(
  { client, component, datasetId, items }: SeededDataset,
  name: string,
  outputs: (string | undefined)[],
): Promise<{ runId: string; evaluationId: string }> {
  const runId = await client.create(`${component}/runs`, { datasetId, name })
  const sent = outputs.flatMap((output, place) => {
    traces += 1
    return output === undefined ? [] : [{ traceId: `answer-${traces}`, run: name, itemId: items[place], output }]
  })
  expect((await client.post(`${component}/traces`, { traces: sent })).status).toBe(201)
  const config = { evaluators: [{ type: 'exactMatch', name: 'right' }] }
  const evaluationId = await client.create(`${component}/evaluations`, { datasetId, runId, config })
  const path = `${component}/evaluations/${evaluationId}`
  await until(async () => expect((await client.get(path)).body.status).toBe('completed'))
  return { runId, evaluationId }
}

export function rowsOf(body: Record<string, unknown>): Row[] {
  return Array.isArray(body.data) ? body.data : []
}
