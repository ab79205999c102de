import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const traceId = traceIdOf(7)
const USAGE = 'gen_ai.usage'

describeEachEngine('GET /traces/{traceId}/tokens', (app) => {
  it('sums input, cached input, output and reasoning of the spans that count', async () => {
    const { client } = await app().newWorkspace()
    const call = (number: number, attributes: Record<string, number>) => ({
      traceId,
      spanId: spanIdOf(number),
      parentSpanId: spanIdOf(1),
      name: 'chat',
      attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
    })
    await sendSpans(client, [
      // Repeats the sum of its calls.
      {
        traceId,
        spanId: spanIdOf(1),
        name: 'agent',
        attributes: { [`${USAGE}.input_tokens`]: 330, [`${USAGE}.output_tokens`]: 60 },
      },
      call(2, {
        [`${USAGE}.input_tokens`]: 300,
        [`${USAGE}.cache_read.input_tokens`]: 200,
        [`${USAGE}.output_tokens`]: 50,
        [`${USAGE}.reasoning.output_tokens`]: 20,
      }),
      call(3, { [`${USAGE}.input_tokens`]: 30, [`${USAGE}.output_tokens`]: 10 }),
    ])
    const { status, body } = await client.get(`/traces/${traceId}/tokens`)
    expect(status).toBe(200)
    expect(body).toEqual({ input: 330, cacheRead: 200, cacheWrite: null, output: 60, reasoning: 20 })
  })

  it('is null for what no span reports, and 404 for a missing trace', async () => {
    const { client } = await app().newWorkspace()
    await sendSpans(client, [{ traceId, spanId: spanIdOf(1), name: 'step' }])
    const { body } = await client.get(`/traces/${traceId}/tokens`)
    expect(body).toEqual({ input: null, cacheRead: null, cacheWrite: null, output: null, reasoning: null })
    expect((await client.get(`/traces/${traceIdOf(8)}/tokens`)).status).toBe(404)
  })
})
