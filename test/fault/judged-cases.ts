/** Evaluations with a model, and what must be true of them after any fault. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Storage } from '../../src/storage/storage.ts'
import type { Client } from '../harness/client.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import { waitFor } from '../harness/server-process.ts'

export const JUDGE = { type: 'llmJudge', name: 'helpful', instructions: 'Does it help?', scale: [1, 5] }
/** Needs no model. */
export const OFFLINE = { type: 'contains', name: 'word', value: 'answer' }

export type Judged = { component: string; dataset: string; path: string; datasetId: string; cases: number }

export async function seedJudged(client: Client, cases: number): Promise<Judged> {
  const component = `/components/${await client.create('/components', { name: 'Judged' })}`
  const datasetId = await client.create(`${component}/datasets`, { name: 'Cases' })
  const dataset = `${component}/datasets/${datasetId}`
  const items = Array.from({ length: cases }, (_, place) => ({
    input: `question ${place}`,
    output: `answer ${place}`,
  }))
  const { status, text } = await client.post(`${dataset}/items`, items)
  if (status !== 201) throw new Error(`${status} ${text}`)
  return { component, dataset, path: `${component}/evaluations`, datasetId, cases }
}

/** A judge that takes its time, so that something can happen meanwhile; the same answer to the same question. */
export function slowJudge(ms: number): (request: AskedRequest) => Promise<unknown> {
  return async (request) => {
    await delay(ms)
    return judgeBySchema(request)
  }
}

export type EvaluationId = { path: string; id: string }

export async function untilStatus(client: Client, { path, id }: EvaluationId, status: string) {
  return waitFor(
    `the evaluation to be ${status}`,
    async () => {
      const { body } = await client.get(`${path}/${id}`)
      if (body.status !== status && body.status === 'failed') throw new Error(`The server ended: ${body.error}`)
      return body.status === status ? body : undefined
    },
    async () => JSON.stringify((await client.get(`${path}/${id}`)).body.progress),
  )
}

export function listScores(storage: Storage, evaluationId: string) {
  return storage.read
    .selectFrom('evaluation_scores')
    .selectAll()
    .where('evaluation_id', '=', evaluationId)
    .orderBy('case_ref')
    .orderBy('evaluator')
    .orderBy('repetition')
    .execute()
}

export async function countDone(storage: Storage): Promise<number> {
  const { count } = await storage.read
    .selectFrom('evaluation_scores')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('state', 'in', ['scored', 'failed', 'skipped'])
    .executeTakeFirstOrThrow()
  return Number(count)
}

type Expected = {
  evaluation: EvaluationId
  /** Per case: of each evaluator, how often. */
  asked: Record<string, number>
  cases: number
}

/** Every score there once and made, and the sums of the evaluation those of its scores. */
export async function expectExact(client: Client, storage: Storage, { evaluation, asked, cases }: Expected) {
  const { body } = await client.get(`${evaluation.path}/${evaluation.id}`)
  const total = cases * Object.values(asked).reduce((sum, times) => sum + times, 0)
  const scores = await listScores(storage, evaluation.id)
  const keys = scores.map(({ case_ref, evaluator, repetition }) => `${case_ref} ${evaluator} ${repetition}`)
  expect(new Set(keys).size).toBe(total)
  expect(scores.filter(({ state }) => state !== 'scored')).toEqual([])
  expect(body).toMatchObject({ status: 'completed', error: null })
  expect(body.progress).toEqual({ total, done: total, failed: 0, skipped: 0 })
  for (const [name, times] of Object.entries(asked)) {
    expect(scores.filter(({ evaluator }) => evaluator === name)).toHaveLength(cases * times)
    expect(body.results).toMatchObject({
      metrics: expect.arrayContaining([expect.objectContaining({ name, missing: 0, failed: 0 })]),
    })
  }
  return { results: body.results, scores }
}

export async function untilNoJobs(storage: Storage): Promise<void> {
  const left = async () => (await storage.read.selectFrom('jobs').selectAll().execute()).length
  await waitFor('no job to be left', async () => (await left()) === 0 || undefined)
}
