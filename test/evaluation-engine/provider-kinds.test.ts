/** Judges work with connections of every kind, and no key gets into an answer or the log. */
import { describe, expect, it } from 'vitest'
import { PROVIDER_KINDS } from '../../src/llm/chat.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectModel, evaluated, judging, metricOf, QUICK, scoresOf, seedOutputs } from './evaluating.ts'

const KEY = 'sk-test-4f9Zq81LmN0pXw7RtYcVbE3u'
const MODELS: Record<string, string> = {
  openai: 'gpt-4o-mini',
  anthropic: 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
}

const { log, logged } = collectingLog('trace')

describeEachEngine(
  'an evaluation',
  (app) => {
    describe.each(PROVIDER_KINDS)('with a connection of kind %s', (kind) => {
      const model = String(MODELS[kind])

      it('asks its judges there, retries overloads, and counts the cost', async () => {
        const seeded = await seedOutputs(app(), 3)
        const server = await connectModel(seeded, { kind }, { kind, apiKey: KEY, models: [model] })
        server.misbehave({ status: 503, headers: { 'retry-after': '0' } })
        const body = await evaluated(seeded, {
          datasetId: seeded.datasetId,
          config: judging({ maxCostUsd: 1, concurrency: 1 }),
        })
        expect(body).toMatchObject({ status: 'completed', progress: { total: 3, done: 3, failed: 0 } })
        expect(metricOf(body, 'good')).toMatchObject({ n: 3 })
        expect(server.requests).toHaveLength(4)
        const scores = await scoresOf(seeded.client, body.path)
        for (const { costUsd } of scores) expect(costUsd).toBeGreaterThan(0)
        expect(JSON.stringify([body, scores])).not.toContain(KEY)
      })

      it('fails a score with a message that has no key, if the provider repeats it', async () => {
        const seeded = await seedOutputs(app(), 1)
        const error = { type: 'invalid_request_error', code: 400, message: `No such field: ${KEY}` }
        const misbehaviour = () => ({ status: 400, error })
        await connectModel(seeded, { kind, misbehaviour }, { kind, apiKey: KEY, models: [model] })
        const body = await evaluated(seeded, { datasetId: seeded.datasetId, config: judging() })
        const [score] = await scoresOf(seeded.client, body.path)
        expect(score).toMatchObject({
          state: 'failed',
          error: 'judges returned 400: it rejected the request; its message: No such field: …',
        })
        expect(logged.join('\n')).not.toContain(KEY)
      })

      it('compares embeddings, or fails at its start if the API has none', async () => {
        const seeded = await seedOutputs(app(), 2)
        const server = await connectModel(seeded, { kind }, { kind, models: [model, 'text-embed-1'] })
        const config = judging({ evaluators: [{ type: 'embeddingSimilarity', name: 'near' }] })
        const body = await evaluated(seeded, { datasetId: seeded.datasetId, config })
        if (kind !== 'anthropic') {
          expect(body).toMatchObject({ status: 'completed', progress: { done: 2, failed: 0 } })
          return
        }
        const message = /near needs embeddings, which the API of Anthropic does not have/
        expect(body).toMatchObject({ status: 'failed', error: expect.stringMatching(message) })
        const dry = await seeded.client.post(`${seeded.at}?dry_run=true`, { datasetId: seeded.datasetId, config })
        expect(dry).toMatchObject({ status: 400, text: expect.stringMatching(message) })
        expect(server.requests).toHaveLength(0)
      })
    })
  },
  { ...QUICK, log },
)
