/** A prompt, a dataset whose items follow hidden rules, and a provider that answers and reflects. */
import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import type { AskedRequest, ModelServerOptions } from '../harness/model-server.ts'
import type { TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'
import { type Playground, type Row, seedPlayground } from '../playground/trying.ts'
import { seedDataset } from '../trials/seed-trial.ts'

const RULES = ['a', 'b', 'c', 'd', 'e', 'f']

/** Too short to be nearly the same as another one. */
export function ruleItems(count: number): Row[] {
  return Array.from({ length: count }, (_, place) => ({
    input: JSON.stringify({ question: `${RULES[place % RULES.length]}${place}` }),
    expected: 'right',
  }))
}

export function isReflection({ system }: Pick<AskedRequest, 'system'>): boolean {
  return system.startsWith('You improve prompts.')
}

type ReflectedCase = { input: string; expected: string; output: string; score: number }

/** Right if the prompt has the rule of the item. */
export function answerByRules({ system, user }: AskedRequest): string {
  return system.includes(`(${user.charAt(0)})`) ? 'right' : 'wrong'
}

/** Always the same for the same request: half of the proposals name a rule of a failing case, the others are nonsense. */
export function reflectByRules(request: AskedRequest): unknown {
  const share = createHash('sha256').update(request.user).digest().readUInt32BE(0) / 2 ** 32
  const { prompt, cases }: { prompt: { messages: Row[] }; cases: ReflectedCase[] } = JSON.parse(request.user)
  const failing = cases.filter(({ score }) => score < 1)
  const chosen = failing[Math.floor(share * 1_000_003) % failing.length]
  const { question }: { question?: string } = JSON.parse(chosen?.input ?? '{}')
  const added = share < 0.5 ? `(${question?.charAt(0)})` : `nonsense ${share}`
  return proposal(prompt.messages, (content) => `${content} ${added}`)
}

/** For tests of what comes after the search: the first proposal has all rules. */
export function answerAtOnce(request: AskedRequest): unknown {
  if (!isReflection(request)) return answerByRules(request)
  const { prompt }: { prompt: { messages: Row[] } } = JSON.parse(request.user)
  return proposal(prompt.messages, (content) => `${content} ${RULES.map((rule) => `(${rule})`).join('')}`)
}

/** The messages with another system message. */
export function proposal(messages: readonly Row[], change: (content: string) => string): unknown {
  const changed = messages.map((message) =>
    message.role === 'system' ? { ...message, content: change(String(message.content)) } : message,
  )
  return { diagnosis: 'a rule is missing', prompt: { messages: changed } }
}

export const PROMPT = [
  { role: 'system', content: 'Answer.' },
  { role: 'user', content: '{{question}}' },
]

export type Experimented = Playground & { datasetId: string; version: number }

export async function seedExperiment(
  app: TestApp,
  {
    items = ruleItems(60),
    messages = PROMPT,
    content: added = {},
    ...options
  }: ModelServerOptions & { items?: Row[]; messages?: Row[]; content?: Row; connection?: Row } = {},
): Promise<Experimented> {
  const answer = (request: AskedRequest) => (isReflection(request) ? reflectByRules(request) : answerByRules(request))
  const playground = await seedPlayground(app, { answer, ...options })
  const { client, path, componentId } = playground
  const content = { messages, provider: 'models', parameters: { maxTokens: 100 }, ...added }
  const saved = await client.post(`${path}/versions`, { content })
  expect(saved.status, saved.text).toBe(201)
  const datasetId = await seedDataset(client, componentId, items)
  return { ...playground, datasetId, version: Number(saved.body.number) }
}

export function experimentsPath({ componentId }: { componentId: string }): string {
  return `/components/${componentId}/experiments`
}

type Of = { client: Client; componentId: string; promptId: string; datasetId: string; version: number }

export function experimentBody(
  { datasetId, promptId, version }: Omit<Of, 'client' | 'componentId'>,
  body: Row = {},
): Row {
  return {
    datasetId,
    prompt: { promptId, version },
    evaluators: [{ type: 'exactMatch', name: 'correct' }],
    splits: { train: 0.3, validation: 0.2, test: 0.5, seed: 7 },
    ...body,
  }
}

export async function createExperiment(of: Of, body: Row = {}): Promise<{ id: string; path: string; body: Row }> {
  const { status, text, body: sent } = await of.client.post(experimentsPath(of), experimentBody(of, body))
  expect(status, text).toBe(201)
  return { id: String(sent.id), path: `${experimentsPath(of)}/${sent.id}`, body: sent }
}

export async function startExperiment(of: Of, body: Row = {}): Promise<{ id: string; path: string }> {
  const experiment = await createExperiment(of, body)
  const { status, text } = await of.client.post(`${experiment.path}/start`, undefined)
  expect(status, text).toBe(202)
  return experiment
}

export async function readExperiment(client: Client, path: string): Promise<Row> {
  const { status, text, body } = await client.get(path)
  expect(status, text).toBe(200)
  return body
}

export async function experimentWith(client: Client, path: string, statuses = ['completed', 'failed']): Promise<Row> {
  let last: Row = {}
  return waitFor(
    `an experiment that is ${statuses.join(' or ')}`,
    async () => {
      last = await readExperiment(client, path)
      return statuses.includes(String(last.status)) ? last : undefined
    },
    () => JSON.stringify(last),
  )
}

export async function resultsOf(client: Client, path: string): Promise<Row> {
  const { status, text, body } = await client.get(`${path}/results`)
  expect(status, text).toBe(200)
  return body
}

export async function iterationsOf(client: Client, path: string, query = ''): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { status, text, body } = await client.get(`${path}/iterations?limit=50${query}${cursor}`)
    expect(status, text).toBe(200)
    const { data, nextCursor }: { data?: Row[]; nextCursor?: string | null } = body
    rows.push(...(data ?? []))
    if (!nextCursor) return rows
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
}
