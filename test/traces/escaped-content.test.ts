/** Contents are JSON in most cases, and JSON can write characters that no database stores as text. */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const INPUT = '{"text":"a \\u0000 and \\ud83d"}'
const OUTPUT = '[{"role":"assistant","content":"b \\u0000 and \\ud83d"}]'
const SHOWN = { input: 'a \ufffd and \ufffd', output: 'b \ufffd and \ufffd' }

function spanOf(number: number, attributes: Record<string, unknown>): SpanSketch {
  return { traceId: traceIdOf(number), spanId: spanIdOf(1), start: Date.now() - 60_000, attributes }
}

describeEachEngine('a question or an answer with an escaped character that cannot be stored', (app) => {
  it('is shown with a replacement character, and becomes an item of a dataset', async () => {
    const { client } = await app().newWorkspace()
    await sendSpans(client, [spanOf(1, { 'touchstone.input': INPUT, 'touchstone.output': OUTPUT })])
    expect((await client.get('/traces?include=previews')).body).toMatchObject({ data: [{ preview: SHOWN }] })
    expect((await client.get(`/traces/${traceIdOf(1)}`)).body).toMatchObject(SHOWN)
    const component = await client.create('/components', { name: 'Chat' })
    const datasets = `/components/${component}/datasets`
    const dataset = await client.create(datasets, { name: 'Cases', traceIds: [traceIdOf(1)] })
    const { body } = await client.get(`${datasets}/${dataset}/items`)
    expect(body).toMatchObject({ data: [{ traceId: traceIdOf(1) }] })
  })

  it('does not reject the spans of a run', async () => {
    const { client } = await app().newWorkspace()
    const component = await client.create('/components', { name: 'Chat' })
    await client.create(`/components/${component}/datasets`, { name: 'Cases' })
    const ofRun = { 'touchstone.component': 'Chat', 'touchstone.dataset': 'Cases', 'touchstone.run': 'First' }
    await sendSpans(client, [spanOf(2, { ...ofRun, 'touchstone.input': INPUT, 'touchstone.output': OUTPUT })])
    expect((await client.get(`/traces/${traceIdOf(2)}`)).body).toMatchObject(SHOWN)
  })

  it('is read from a model call in the same way if the root has no content', async () => {
    const { client } = await app().newWorkspace()
    const messages = '[{"role":"user","content":"a \\u0000 and \\ud83d"}]'
    const call = { 'gen_ai.operation.name': 'chat', 'touchstone.input': messages, 'touchstone.output': OUTPUT }
    await sendSpans(client, [spanOf(3, {}), { ...spanOf(3, call), spanId: spanIdOf(2), parentSpanId: spanIdOf(1) }])
    expect((await client.get('/traces?include=previews')).body).toMatchObject({ data: [{ preview: SHOWN }] })
  })
})
