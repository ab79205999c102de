/** How tests of evaluations set up what is evaluated, wait for the end, and read what came of it. */
import { expect, onTestFinished } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import type { Client } from '../harness/client.ts'
import { type ModelServer, type ModelServerOptions, startModelServer } from '../harness/model-server.ts'
import type { StartOptions, TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

export { until }

/** A call fails only if it hangs: tests hold calls back for as long as a busy machine needs for other steps. */
export const QUICK: StartOptions = { modelTimeoutMs: 120_000, retryPauseMs: 5 }

export type Row = Record<string, unknown>

export type Seeded = {
  client: Client
  /** May make connections. */
  admin: Client
  workspaceId: string
  component: string
  /** The path of the component, and of its evaluations. */
  below: string
  at: string
}

export async function seedComponent(app: TestApp): Promise<Seeded> {
  const { client, workspaceId } = await app.newWorkspace()
  const admin = await browserWith(app, workspaceId, 'admin')
  const component = await client.create('/components', { name: 'Answers' })
  const below = `/components/${component}`
  return { client, admin, workspaceId, component, below, at: `${below}/evaluations` }
}

/** A dataset with these items, and their ids in the same order. */
export async function seedItems(
  { client, below }: Pick<Seeded, 'client' | 'below'>,
  items: readonly Row[],
  name = 'Questions',
): Promise<{ datasetId: string; itemIds: string[] }> {
  const datasetId = await client.create(`${below}/datasets`, { name })
  const itemIds: string[] = []
  for (let from = 0; from < items.length; from += 1_000) {
    const some = items.slice(from, from + 1_000)
    const { status, text, body } = await client.post(`${below}/datasets/${datasetId}/items`, some)
    if (status !== 201) throw new Error(text)
    itemIds.push(...rowsIn(body.data).map(({ id }) => String(id)))
  }
  return { datasetId, itemIds }
}

export type SeededItems = Seeded & { datasetId: string; itemIds: string[] }

/** So many items, each of which has an output to be judged. */
export async function seedOutputs(app: TestApp, count: number): Promise<SeededItems> {
  const seeded = await seedComponent(app)
  const items = Array.from({ length: count }, (_, place) => ({
    input: `question ${place}`,
    output: `answer ${place}`,
    expected: `answer ${place}`,
  }))
  return { ...seeded, ...(await seedItems(seeded, items)) }
}

/** A provider of models for one test, and a connection to it named `judges`. */
export async function connectModel(
  { admin }: Pick<Seeded, 'admin'>,
  options: ModelServerOptions = {},
  connection: Row = {},
): Promise<ModelServer> {
  const server = await startModelServer(options)
  onTestFinished(() => server.close())
  await admin.create('/connections', { name: 'judges', baseUrl: server.baseUrl, models: ['judge-1'], ...connection })
  return server
}

export const JUDGE = { type: 'llmJudge', name: 'good', instructions: 'Is it good?' }

export function judging(more: Row = {}): Row {
  return { evaluators: [JUDGE], provider: 'judges', ...more }
}

/** Starts an evaluation and answers its path. */
export async function start({ client, at }: Pick<Seeded, 'client' | 'at'>, body: Row): Promise<string> {
  return `${at}/${await client.create(at, body)}`
}

export async function ended(client: Client, path: string): Promise<Row> {
  const body = await until(async () => {
    const read = await client.get(path)
    expect(['completed', 'failed'], read.text).toContain(read.body.status)
    return read.body
  })
  return body
}

export async function evaluated(seeded: Pick<Seeded, 'client' | 'at'>, body: Row): Promise<Row & { path: string }> {
  const path = await start(seeded, body)
  return { ...(await ended(seeded.client, path)), path }
}

/** All scores, in pages. */
export async function scoresOf(client: Client, path: string, query = ''): Promise<Row[]> {
  const all: Row[] = []
  for (;;) {
    const page = await client.list(`${path}/scores?limit=100&offset=${all.length}${query}`)
    all.push(...page)
    if (page.length < 100) return all
  }
}

export function metricOf(body: Row, name: string): Row {
  const found = rowsIn(Object(body.results).metrics).find((metric) => metric.name === name)
  if (!found) throw new Error(`there is no metric ${name} in ${JSON.stringify(body)}`)
  return found
}

/** How many scores are in which state, in the form of progress. */
function progressIn(scores: readonly Row[]): Row {
  const count = (state: string) => scores.filter((score) => score.state === state).length
  return { total: scores.length, done: count('scored'), failed: count('failed'), skipped: count('skipped') }
}

/** The counters of the evaluation equal its scores, now that nothing is written any more. */
export async function expectExactProgress(client: Client, path: string): Promise<Row[]> {
  const scores = await scoresOf(client, path)
  const { body } = await client.get(path)
  expect(body.progress).toEqual(progressIn(scores))
  return scores
}

export function rowsIn(value: unknown): Row[] {
  return Array.isArray(value) ? value : []
}
