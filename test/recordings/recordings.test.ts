import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'
import { meaningOf, RECORDINGS, readGolden, readTrace, send, writeGolden } from './recorded.ts'

/** `UPDATE_GOLDEN=1 vitest run test/recordings` rewrites what is expected. Read the difference: the files are what we promise. */
const isUpdating = process.env.UPDATE_GOLDEN === '1'

/** What the model that was recorded answered to what it was asked. */
const ANSWERS: Readonly<Record<string, string>> = {
  'Weather in Zürich?': 'It is 21 degrees in Zürich.',
  'Weather in Zürich, streaming?': 'It is 21 degrees in Zürich.',
  'Weather streaming?': 'It is 21 degrees in Zürich.',
  'Say hello': 'Hello, world!',
  'Say hello streaming': 'Hello, world!',
  'Say hello in Zürich': 'Hello, world!',
  'Say hello team': 'Hello, world!',
  'What is the weather in Zürich?': 'It is 21 degrees in Zürich.',
  'Say hello via responses': 'Hello, world!',
  'Hello responses': 'Hello, world!',
}

/** Calls that failed, that had no model or another answer in them, or of which only the numbers were sent. */
const UNANSWERED = ['google-adk-openinference', 'js-langfuse', 'mlflow', 'openai-opentelemetry-v2']

describeEachEngine('recordings of real libraries', (app, engine) => {
  describe.each(RECORDINGS)('$name', (recording) => {
    it('maps to its golden file', async () => {
      const { client } = await app().newWorkspace()
      await send(client, recording)
      const traces: Record<string, unknown> = {}
      for (const traceId of recording.traceIds) traces[traceId] = meaningOf(await readTrace(client, traceId))
      if (isUpdating && engine === 'sqlite') writeGolden(recording.name, traces)
      expect(traces).toEqual(readGolden(recording.name))
    })

    it('loses no text: the mapping has it unchanged, and the trace has the messages', async () => {
      const { client } = await app().newWorkspace()
      await send(client, recording)
      const sent = textsSent(recording.text)
      for (const traceId of recording.traceIds) {
        const shown = new Set(leavesOf((await readTrace(client, traceId)).spans))
        const entries = await client.list(`/traces/${traceId}/mapping?limit=100`)
        const raw = new Set(entries.flatMap(({ value }) => leavesOf(value)))
        for (const { key, text } of sent.filter((attribute) => attribute.traceId === traceId)) {
          for (const leaf of leavesOf(text)) expect(raw, `${key} in the mapping of ${traceId}`).toContain(leaf)
        }
        for (const { key, value } of entries.filter(isShownAsItIs)) {
          for (const leaf of leavesOf(value)) expect(shown, `${key} in ${traceId}`).toContain(leaf)
        }
      }
    })

    it('is matched with imported items of the same input, and the right answer matches exactly', async () => {
      const { client } = await app().newWorkspace()
      const componentId = await client.create('/components', { name: 'Recorded' })
      const path = `/components/${componentId}`
      const datasetId = await client.create(`${path}/datasets`, { name: 'Questions' })
      const items = Object.entries(ANSWERS).map(([input, expected]) => ({ input, expected }))
      const imported = items.map((item) => JSON.stringify(item)).join('\n')
      const headers = { 'content-type': 'application/jsonl' }
      const { status } = await client.send('POST', `${path}/datasets/${datasetId}/import`, { body: imported, headers })
      expect(status).toBe(200)
      await send(client, recording, {
        'touchstone.component': 'Recorded',
        'touchstone.dataset': 'Questions',
        'touchstone.run': 'recorded',
      })
      const asked = new Map<string, string>()
      for (const traceId of recording.traceIds) {
        const { id, input, output } = await readTrace(client, traceId)
        // A call that ended with a tool call has no answer yet.
        if (output === ANSWERS[String(input)]) asked.set(String(id), String(input))
      }
      expect(asked.size > 0).toBe(!UNANSWERED.includes(recording.name))
      if (asked.size === 0) return
      const [run] = await client.list(`${path}/runs`)
      const config = { evaluators: [{ type: 'exactMatch' }] }
      const evaluationId = await client.create(`${path}/evaluations`, { datasetId, runId: run?.id, config })
      await ended(client, `${path}/evaluations/${evaluationId}`)
      const inputs = new Map(
        (await client.list(`${path}/datasets/${datasetId}/items?limit=100`)).map((item) => [item.id, item.input]),
      )
      expect([...inputs.values()].filter((input) => String(input) in ANSWERS)).toHaveLength(items.length)
      const scores = await client.list(`${path}/evaluations/${evaluationId}/scores?limit=100`)
      for (const [traceDbId, input] of asked) {
        const score = scores.find((candidate) => candidate.traceDbId === traceDbId)
        expect([inputs.get(score?.itemId), score?.score]).toEqual([input, 1])
      }
    })
  })
})

async function ended(client: Client, path: string): Promise<void> {
  await until(async () => expect((await client.get(path)).body.status).toBe('completed'))
}

describeEachEngine('searching', (app) => {
  async function found(client: Client, q: string): Promise<unknown[]> {
    return (await client.list(`/traces?q=${encodeURIComponent(q)}`)).map(({ traceId }) => traceId)
  }

  it('finds text that a sender of JSON has escaped', async () => {
    const { client } = await app().newWorkspace()
    const recording = RECORDINGS.find(({ name }) => name === 'traceloop-sdk-decorators')
    if (recording) await send(client, recording)
    expect(await found(client, 'output:"degrees in Zürich"')).toEqual(['c5febf5987098e7bf17efe239e230a63'])
    expect(await found(client, 'Zürich')).toEqual(['c5febf5987098e7bf17efe239e230a63'])
  })

  it('finds quotes, backslashes and line ends in messages, and in JSON inside of them', async () => {
    const { client } = await app().newWorkspace()
    const said = 'She said "hi \\ ho"\nand left'
    const call = { id: 'c', type: 'function', function: { name: 'say', arguments: JSON.stringify({ text: said }) } }
    const [asked, answered] = [traceIdOf(1), traceIdOf(2)]
    await sendSpans(client, [
      {
        traceId: asked,
        spanId: spanIdOf(1),
        attributes: { 'input.value': JSON.stringify([{ role: 'user', content: said }]) },
      },
      {
        traceId: answered,
        spanId: spanIdOf(1),
        attributes: { 'output.value': JSON.stringify([{ role: 'assistant', tool_calls: [call] }]) },
      },
    ])
    const q = JSON.stringify('said "hi \\ ho"\nand')
    expect(await found(client, `input:${q}`)).toEqual([asked])
    expect(await found(client, `output:${q}`)).toEqual([answered])
    expect(await found(client, JSON.stringify('said "ho'))).toEqual([])
  })
})

describeEachEngine('items that were imported as messages', (app) => {
  it('are matched with traces of the same text input, and judged by their output', async () => {
    const { client } = await app().newWorkspace()
    const path = `/components/${await client.create('/components', { name: 'Bot' })}`
    const datasetId = await client.create(`${path}/datasets`, { name: 'Questions' })
    const input = {
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Say hello' },
      ],
    }
    await client.post(`${path}/datasets/${datasetId}/items`, [{ input, expected: 'Hello!' }])
    await client.post(`${path}/traces`, { dataset: 'Questions', run: 'v1', input: 'Say hello', output: 'Hello!' })
    const items = await client.list(`${path}/datasets/${datasetId}/items`)
    expect(items).toHaveLength(1)
    const [run] = await client.list(`${path}/runs`)
    const traces = await client.list(`${path}/runs/${run?.id}/traces`)
    expect(traces.map(({ itemId }) => itemId)).toEqual([items[0]?.id])
  })
})

type SentText = { traceId: string; key: string; text: string }

type KeyValue = { key: string; value: { stringValue?: string } }
type SentSpan = { traceId: string; attributes?: KeyValue[]; events?: { attributes?: KeyValue[] }[] }

/** All attributes of spans and of their events that are texts of more than three characters. */
function textsSent(request: string): SentText[] {
  const { resourceSpans }: { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] } = JSON.parse(request)
  const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  return spans.flatMap(({ traceId, attributes = [], events = [] }) =>
    [attributes, ...events.map((event) => event.attributes ?? [])].flat().flatMap(({ key, value }) => {
      const text = value.stringValue ?? ''
      return text.length > 3 ? [{ traceId, key, text }] : []
    }),
  )
}

/** Everything but kinds, names and other short values, which the product shows in its own words. */
function isShownAsItIs({ field, outcome }: Record<string, unknown>): boolean {
  if (outcome !== 'used') return true
  return field === 'input' || field === 'output' || String(field).startsWith('modelParameters')
}

/** The texts that a value holds: of JSON those inside of it, and without white space at the ends, which is shown elsewhere. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') {
    const text = value.trim()
    const parsed = /^[[{"]/.test(text) ? parsedOf(text) : undefined
    if (parsed !== undefined) return leavesOf(parsed)
    return text.length > 3 ? [text] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(leavesOf)
}

function parsedOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
