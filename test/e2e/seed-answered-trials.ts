import { expect } from 'vitest'
import type { Client } from '../harness/client.ts'
import { until } from '../harness/wait-for.ts'

const ITEMS = 24
const LOOKS = 2
const QUEUE = 'answers'
const evaluation = { evaluators: [{ type: 'contains', name: 'says when', value: 'Friday' }] }

type Call = { id: number; variant: string; input: unknown; repetition: number; lease: string }

/**
 * Two trials of three programs: one that is finished, with failures, and one that looks early, has taken two looks, and runs. Also a prompt
 * with two versions, for the set-up.
 */
export async function seedAnsweredTrials(client: Client, component: string): Promise<void> {
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'answered questions' })
  const items = Array.from({ length: ITEMS }, (_, place) => ({
    input: `Where is order ${place + 1}?`,
    expected: `Order ${place + 1} arrives on Friday.`,
  }))
  await client.post(`${path}/datasets/${datasetId}/items`, items)
  const start = async (name: string, fields: object) => {
    const variants = ['plain', 'brief', 'a program with a long name'].map((variant) => ({
      name: variant,
      target: { type: 'worker', queue: QUEUE },
    }))
    const body = { datasetId, name, variants, evaluation, repetitions: 2, maxCostUsd: 5, ...fields }
    const { status, text, body: trial } = await client.post(`${path}/trials`, body)
    expect(status, text).toBe(202)
    return `${path}/trials/${trial.id}`
  }
  const finished = await start('finished by programs', {})
  await answerUntil(client, { trial: finished, isEnough: ({ status }) => status === 'completed' })
  const running = await start('looks while it runs', { stopEarly: true })
  const hasLooked = ({ looks }: Record<string, unknown>) => Object(looks).taken.length >= LOOKS
  await answerUntil(client, { trial: running, isEnough: hasLooked })

  const prompt = await client.create(`${path}/prompts`, { name: 'order-answer' })
  for (const text of ['Answer: {{input}}', 'Answer briefly: {{input}} {{customer}}']) {
    const content = { messages: [{ role: 'user', content: text }], provider: 'Local', model: 'llama-4' }
    expect((await client.post(`${path}/prompts/${prompt}/versions`, { content })).status).toBe(201)
  }
}

type Answering = { trial: string; isEnough: (trial: Record<string, unknown>) => boolean }

async function answerUntil(client: Client, { trial, isEnough }: Answering): Promise<void> {
  await until(async () => {
    const { status, body } = await client.post(`${trial}/calls/lease`, { queue: QUEUE, max: 100 })
    expect([200, 409]).toContain(status)
    const calls: Call[] = Object(body).calls ?? []
    for (const call of calls) await answer(client, trial, call)
    const { body: now } = await client.get(trial)
    expect(isEnough(now)).toBe(true)
  })
}

/** Some answers are wrong, some differ between repetitions, and the calls of one item fail. */
async function answer(client: Client, trial: string, { id, variant, input, repetition, lease }: Call): Promise<void> {
  const order = Number(/\d+/.exec(String(input))?.[0])
  if (variant === 'brief' && order === 4) {
    const error = { lease, error: 'the answer is no JSON', transient: false }
    expect((await client.post(`${trial}/calls/${id}/fail`, error)).status).toBe(200)
    return
  }
  const isRight = variant === 'plain' ? order % 2 === 0 : variant === 'brief' ? order % 4 > 0 : order % 3 > 0
  const isOther = order % 7 === 0 && repetition === 2
  const output = isRight !== isOther ? `Order ${order} arrives on Friday.` : 'I do not know.'
  const done = { lease, output, costUsd: variant === 'plain' ? 0.001 : 0.002 }
  const { status, text } = await client.post(`${trial}/calls/${id}/complete`, done)
  expect(status, text).toBe(200)
}
