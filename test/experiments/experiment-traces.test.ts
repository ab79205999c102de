// @module-tag sql
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { judgeBySchema } from '../harness/model-answers.ts'
import type { AskedRequest } from '../harness/model-server.ts'
import { price, type Row } from '../playground/trying.ts'
import {
  answerAtOnce,
  experimentWith,
  iterationsOf,
  ruleItems,
  seedExperiment,
  startExperiment,
} from './seed-experiment.ts'

const SPANS_MAX = 10

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4)
}

async function answersOf(client: Client, path: string, iteration: unknown): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const { status, text, body } = await client.get(`${path}/iterations/${iteration}/answers?limit=7${cursor}`)
    expect(status, text).toBe(200)
    const { data, nextCursor }: { data?: Row[]; nextCursor?: string | null } = body
    rows.push(...(data ?? []))
    if (!nextCursor) return rows
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`
  }
}

describeEachEngine('the traces of a search', (app) => {
  it('are one for each answer and reflection, with what was sent and used; no text of a test item is in those of reflections', async () => {
    let billed = 0
    const answer = (request: AskedRequest) => {
      const isJudge = request.system.startsWith('You are an impartial judge')
      const answered = isJudge ? judgeBySchema(request) : answerAtOnce(request)
      const text = typeof answered === 'string' ? answered : JSON.stringify(answered)
      billed += tokensOf(request.system) + tokensOf(request.user) + tokensOf(text)
      return answered
    }
    const of = await seedExperiment(app(), { items: ruleItems(24), answer })
    await price(of, { inputPerMillion: 100, outputPerMillion: 100 })
    const { client, componentId } = of
    const judge = { type: 'llmJudge', name: 'helpful', instructions: 'Is it helpful?', model: 'model-1' }
    const evaluators = [{ type: 'exactMatch', name: 'correct' }, judge]
    const objectives = [{ metric: 'correct', role: 'improve' }]
    const { id, path } = await startExperiment(of, {
      evaluators,
      objectives,
      allowTooFew: true,
    })
    const ended = await experimentWith(client, path)
    expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed', trialId: expect.any(String) })
    const { answers, reflections }: { answers?: Row; reflections?: Row } = Object(ended.progress)

    const iterations = await iterationsOf(client, path)
    const rows: Row[] = []
    for (const { number } of iterations) rows.push(...(await answersOf(client, path, number)))
    expect(rows).toHaveLength(Number(answers?.done))
    const listed: Row[] = []
    for (let offset = 0; offset === listed.length; offset += 100)
      listed.push(...(await client.list(`/traces?q=source:experiment&limit=100&offset=${offset}`)))
    const known = new Set(listed.map(({ traceId }) => traceId))
    expect(known.size).toBe(listed.length)
    expect(listed).toHaveLength(Number(answers?.done) + Number(reflections?.done))
    for (const { traceId } of rows) expect(known).toContain(traceId)
    expect(new Set(rows.map(({ traceId }) => traceId)).size).toBe(rows.length)

    const [first] = rows
    expect(first).toEqual({
      call: 1,
      split: 'validation',
      itemId: expect.any(String),
      question: expect.any(String),
      score: expect.any(Number),
      scores: [
        { metric: 'correct', score: expect.any(Number), reason: expect.anything() },
        { metric: 'helpful', score: expect.any(Number), reason: expect.anything() },
      ],
      reason: null,
      costUsd: expect.any(Number),
      traceId: expect.any(String),
    })
    const trace = (await client.get(`/traces/${first?.traceId}`)).body
    expect(trace).toMatchObject({ aiComponentId: componentId, status: 'ok' })
    const shown = JSON.stringify(trace)
    for (const text of ['Answer.', 'model-1', id]) expect(shown).toContain(text)
    expect(Number(trace.totalTokens)).toBeGreaterThan(0)
    const spent = listed.map(({ totalCostUsd }) => Number(totalCostUsd))
    for (const usd of spent) expect(usd).toBeGreaterThan(0)

    const proposed = iterations.find(({ number, state }) => number !== 0 && state === 'finalist')
    const detail = (await client.get(`${path}/iterations/${proposed?.number}`)).body
    const changes: Row[] = Object(detail.changes).data
    for (const { beforeTraceId, afterTraceId } of changes) {
      expect(known).toContain(beforeTraceId)
      expect(known).toContain(afterTraceId)
    }
    expect(changes.length).toBeGreaterThan(0)
    expect(known).toContain(detail.reflectionTraceId)

    const items = await client.list(`/components/${componentId}/datasets/${of.datasetId}/items?limit=100`)
    const testTexts = items
      .filter(({ split }) => split === 'test')
      .map(({ input }) => String(JSON.parse(String(input)).question))
    let reflected = 0
    for (const { traceId } of listed.filter(({ name }) => name === 'reflect model-1')) {
      const { text } = await client.get(`/traces/${traceId}`)
      expect(text).toContain('You improve prompts.')
      reflected += 1
      for (const own of testTexts) expect(text).not.toMatch(new RegExp(`\\b${own}\\b`))
    }
    expect(reflected).toBe(reflections?.done)

    // All that the provider has reported: answers, judges, reflections and the test.
    expect((await client.get(`/experiments/${id}`)).body.tokensUsed).toBe(billed)
  })
})

describeEachEngine(
  'a search whose traces exceed a quota',
  (app) => {
    it('goes on without them', async () => {
      const of = await seedExperiment(app(), { items: ruleItems(24), answer: answerAtOnce })
      const { path } = await startExperiment(of, { allowTooFew: true })
      const ended = await experimentWith(of.client, path)
      expect(ended, JSON.stringify(ended)).toMatchObject({ status: 'completed', error: null })
      const rows: Row[] = []
      for (const { number } of await iterationsOf(of.client, path))
        rows.push(...(await answersOf(of.client, path, number)))
      expect(rows.length).toBeGreaterThan(SPANS_MAX)
      expect(rows.every(({ score }) => typeof score === 'number')).toBe(true)
      const traced = rows.filter(({ traceId }) => traceId !== null)
      expect(traced.length).toBeGreaterThan(0)
      expect(traced.length).toBeLessThan(SPANS_MAX)
    })
  },
  { environment: { TOUCHSTONE_QUOTA_SPANS_PER_DAY: String(SPANS_MAX) } },
)
