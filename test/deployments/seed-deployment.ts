/** A prompt whose versions were run over a dataset and evaluated, through the API. */
import { expect } from 'vitest'
import { evaluated, type Row, seedComponent, seedItems } from '../evaluation-engine/evaluating.ts'
import type { Answer, Client } from '../harness/client.ts'
import { type SpanSketch, sendSpans } from '../harness/otlp-json.ts'
import type { TestApp } from '../harness/test-app.ts'

const ITEMS = 60
export const METRIC = 'right'
const RIGHT = { type: 'exactMatch', name: METRIC }

export type SeededDeployment = {
  client: Client
  admin: Client
  key: string
  workspaceId: string
  componentId: string
  /** The paths of the component and of the prompt. */
  component: string
  path: string
  promptId: string
  datasetId: string
  dataset: string
  itemIds: string[]
  decisions: string
}

/** Texts of versions 1 to 3 of the prompt `answer`, and sixty items. */
export async function seedDeployment(app: TestApp, { items = ITEMS } = {}): Promise<SeededDeployment> {
  const { client, admin, workspaceId, component: componentId, below } = await seedComponent(app)
  const { datasetId, itemIds } = await seedItems(
    { client, below },
    Array.from({ length: items }, (_, place) => ({ input: `question ${place}`, expected: 'yes' })),
  )
  const promptId = await client.create(`${below}/prompts`, { name: 'answer' })
  const path = `${below}/prompts/${promptId}`
  const seeded = {
    ...{ client, admin, key: '', workspaceId, componentId, component: below, path, promptId, datasetId, itemIds },
    ...{ dataset: `${below}/datasets/${datasetId}`, decisions: `${below}/decisions` },
  }
  for (const number of [1, 2, 3]) expect((await saveVersion(seeded, number)).body.number).toBe(number)
  return seeded
}

export function textOf(number: number): Row {
  return { messages: [{ role: 'user', content: `Text ${number} for {{name}}` }] }
}

export async function saveVersion(
  { client, path }: Pick<SeededDeployment, 'client' | 'path'>,
  number: number,
  fields: Row = {},
): Promise<Answer> {
  return client.post(`${path}/versions`, { content: textOf(number), ...fields })
}

type RunOptions = {
  name?: string
  /** Which items are answered wrongly. */
  wrong?: (place: number) => boolean
  /** What the trace of an item names; null: nothing. */
  named?: (place: number) => string | null
  /** What a second span of the trace names. */
  alsoNamed?: (place: number) => string | null
  datasetId?: string
  itemIds?: readonly string[]
  attributes?: Row
  /** What the trace of an item cost and how long it took. */
  measured?: (place: number) => { costUsd?: number; seconds?: number }
}

let traces = 0
const START_MS = Date.UTC(2026, 10, 15, 9, 30)

/** Traces of a run over all items that name a version. */
export async function runVersion(
  { client, component, ...seeded }: SeededDeployment,
  version: number,
  options: RunOptions = {},
): Promise<string> {
  const { name = `v${version}`, wrong = () => false, named = () => `answer@${version}`, attributes = {} } = options
  const { datasetId = seeded.datasetId, itemIds = seeded.itemIds, alsoNamed = () => null, measured } = options
  const runId = await client.create(`${component}/runs`, { datasetId, name })
  const spans = itemIds.flatMap((itemId, place): SpanSketch[] => {
    traces += 1
    const prompt = named(place)
    const traceId = traces.toString(16).padStart(32, 'd')
    const spanId = traces.toString(16).padStart(16, 'd')
    const second = alsoNamed(place)
    const { costUsd, seconds } = measured?.(place) ?? {}
    const root = {
      traceId,
      spanId,
      ...(seconds === undefined ? {} : { start: START_MS, end: START_MS + 1_000 * seconds }),
      attributes: {
        'touchstone.component': 'Answers',
        'touchstone.run': runId,
        'touchstone.item.id': itemId,
        'touchstone.output': wrong(place) ? 'no' : 'yes',
        ...(prompt === null ? {} : { 'touchstone.prompt': prompt }),
        ...(costUsd === undefined ? {} : { 'gen_ai.usage.cost_usd': costUsd }),
        ...attributes,
      },
    }
    if (second === null) return [root]
    const child = {
      spanId: spanId.replace(/^d/, 'e'),
      parentSpanId: spanId,
      attributes: { 'touchstone.prompt': second },
    }
    return [root, { traceId, ...child }]
  })
  await sendSpans(client, spans)
  return runId
}

export async function evaluate(
  { client, component, datasetId }: Pick<SeededDeployment, 'client' | 'component' | 'datasetId'>,
  runId: string,
  config: Row = {},
): Promise<string> {
  const at = `${component}/evaluations`
  const body = { datasetId, runId, config: { evaluators: [RIGHT], ...config } }
  const { path, status } = await evaluated({ client, at }, body)
  expect(status).toBe('completed')
  return path.slice(path.lastIndexOf('/') + 1)
}

export async function runAndEvaluate(
  seeded: SeededDeployment,
  version: number,
  options: RunOptions = {},
): Promise<{ runId: string; evaluationId: string }> {
  const runId = await runVersion(seeded, version, options)
  return { runId, evaluationId: await evaluate({ ...seeded, ...pick(options) }, runId) }
}

function pick({ datasetId }: RunOptions) {
  return datasetId === undefined ? {} : { datasetId }
}

export async function protect(
  { admin, path, datasetId }: SeededDeployment,
  gate: Row | null = {},
  { minRole = 'editor', label = 'production' } = {},
): Promise<Answer> {
  const full = gate && { datasetId, metric: METRIC, margin: 0.1, maxAgeDays: 14, ...gate }
  return admin.send('PUT', `${path}/labels/${label}/protection`, { body: { minRole, gate: full } })
}

/** Version 1 is served by `production`, was evaluated, and any other version needs a verdict. */
export async function seedGated(app: TestApp, options: { items?: number } = {}) {
  const seeded = await seedDeployment(app, options)
  const baseline = await runAndEvaluate(seeded, 1)
  await moveTo(seeded, 1)
  const { status, text } = await protect(seeded)
  expect(status, text).toBe(200)
  return { ...seeded, baseline }
}

export async function moveTo(
  { client, path }: Pick<SeededDeployment, 'client' | 'path'>,
  to: number | [version: number, weight: number][],
  { label = 'production', ...fields }: Row & { label?: string } = {},
): Promise<Answer> {
  const splits = (typeof to === 'number' ? [[to, 100]] : to).map(([version, weight]) => ({ version, weight }))
  return client.send('PUT', `${path}/labels/${label}`, { body: { splits, ...fields } })
}

export async function check(
  { client, path }: Pick<SeededDeployment, 'client' | 'path'>,
  version: number,
  query = '',
): Promise<Row> {
  const { status, text, body } = await client.get(`${path}/labels/production/check?version=${version}${query}`)
  expect(status, text).toBe(200)
  return body
}

export async function historyOf({ client, path }: Pick<SeededDeployment, 'client' | 'path'>): Promise<Row[]> {
  const { body } = await client.get(`${path}/labels/production/history`)
  return [body.data].flat().map((row) => Object(row))
}
