import { expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createTraceLinker } from '../../src/ingestion/link-arrived-traces.ts'
import { remapTraces } from '../../src/ingestion/remap-traces.ts'
import { movableClock } from '../conformance/movable-clock.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type LogSketch, type SpanSketch, sendLogs, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { waitFor } from '../harness/server-process.ts'
import type { SeededWorkspace } from '../harness/test-app.ts'

const clock = movableClock()

function batch(first: number, count: number, text = 'x') {
  const spans = Array.from({ length: count }, (_, place) => {
    const hex = (first + place + 1).toString(16).padStart(16, '0')
    const attributes = [{ key: 'touchstone.input', value: { stringValue: text } }]
    const time = '1700000000000000000'
    return {
      traceId: `${hex}${hex}`,
      spanId: hex,
      name: 'x',
      startTimeUnixNano: time,
      endTimeUnixNano: time,
      attributes,
    }
  })
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

const send = ({ client }: SeededWorkspace, body: unknown) => client.send('POST', '/v1/traces', { body })
const usageOf = async ({ client }: SeededWorkspace) => (await client.get('/workspace/usage')).body

describeEachEngine(
  'quotas of an application',
  (app) => {
    it('for spans are exceeded by at most one request, for any concurrency, and reset with the day', async () => {
      const sender = await app().newWorkspace()
      const sent = await Promise.all(Array.from({ length: 30 }, (_, place) => send(sender, batch(place * 10, 10))))
      const stored = sent.filter(({ status }) => status === 200).length
      // 95 are allowed: the tenth request begins below that.
      expect(stored).toBe(10)
      const [rejected] = sent.filter(({ status }) => status !== 200)
      // Not 429, which would have exporters send the same again until tomorrow.
      expect(rejected).toMatchObject({
        status: 403,
        body: { code: 7, message: expect.stringMatching(/^The quota of 95 spans per day is used up; it resets at 20/) },
      })
      expect(await usageOf(sender)).toMatchObject({ spansToday: { used: 100, limit: 95 } })
      const bystander = await app().newWorkspace()
      expect((await send(bystander, batch(0, 10))).status).toBe(200)
      clock.advance(24 * 3_600_000)
      expect(await usageOf(sender)).toMatchObject({ spansToday: { used: 0, limit: 95 } })
      expect((await send(sender, batch(1_000, 10))).status).toBe(200)
      expect(await usageOf(sender)).toMatchObject({ spansToday: { used: 10, limit: 95 } })
    })

    it('count a span once that is sent again', async () => {
      const sender = await app().newWorkspace()
      for (let time = 0; time < 3; time += 1) expect((await send(sender, batch(0, 10))).status).toBe(200)
      expect(await usageOf(sender)).toMatchObject({ spansToday: { used: 10 } })
    })

    it('for stored bytes are free again when traces are deleted, to the byte', async () => {
      const sender = await app().newWorkspace()
      const large = 'é'.repeat(20_000)
      expect((await send(sender, batch(0, 3, large))).status).toBe(200)
      const rejected = await send(sender, batch(10, 1))
      expect(rejected).toMatchObject({ status: 403 })
      expect(rejected.body.message).toMatch(/^The quota of 100000 stored bytes is used up/)
      const component = await sender.client.create('/components', { name: 'Native' })
      const native = await sender.client.post(`/components/${component}/traces`, { name: 'n', input: 'x' })
      expect(native).toMatchObject({
        status: 429,
        body: { error: expect.stringMatching(/^The quota of 100000 stored/) },
      })
      expect(native.headers.get('retry-after')).toBe('10')
      for (const trace of await sender.client.list('/traces')) await sender.client.delete(`/traces/${trace.id}`)
      await waitFor('the bytes to be free', async () => {
        const { storedBytes } = await usageOf(sender)
        return Object(storedBytes).used === 0 || undefined
      })
      clock.advance(11_000)
      expect((await send(sender, batch(20, 1))).status).toBe(200)
    })

    it('for evaluations are 429 with the time of the reset', async () => {
      const { client, ...rest } = await app().newWorkspace()
      const component = await client.create('/components', { name: 'C' })
      const datasetId = await client.create(`/components/${component}/datasets`, { name: 'D', traceIds: ['t'] })
      const start = () =>
        client.post(`/components/${component}/evaluations`, {
          datasetId,
          config: { evaluators: [{ type: 'humanRating' }] },
        })
      const answers = await Promise.all(Array.from({ length: 6 }, start))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([202, 202, 202, 429, 429, 429])
      const rejected = answers.find(({ status }) => status === 429)
      expect(rejected?.body.error).toMatch(
        /^The quota of 3 evaluations per day is used up; it resets at \S+T00:00:00.000Z$/,
      )
      expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(0)
      const preview = await client.post(`/components/${component}/evaluations/preview`, { datasetId })
      expect(preview).toMatchObject({ status: 429, body: rejected?.body })
      expect(await usageOf({ client, ...rest })).toMatchObject({ evaluationsToday: { used: 3, limit: 3 } })
    })
  },
  {
    clock,
    environment: {
      TOUCHSTONE_QUOTA_SPANS_PER_DAY: '95',
      TOUCHSTONE_QUOTA_STORED_BYTES: '100000',
      TOUCHSTONE_QUOTA_EVALUATIONS_PER_DAY: '3',
    },
  },
)

describeEachEngine('without quotas', (app) => {
  /** Of the spans that are stored, as the database measures them. */
  async function contentBytes(workspaceId: string): Promise<number> {
    const spans = await app()
      .storage.read.selectFrom('spans')
      .select(['input', 'output', 'attributes', 'events', 'links', 'notes'])
      .where('workspace_id', '=', workspaceId)
      .execute()
    return spans.flatMap((span) => Object.values(span)).reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0)
  }

  it('stored bytes are those of all spans, also with events that arrived before or after them and when mapped again', async () => {
    const sender = await app().newWorkspace()
    const { client, workspaceId } = sender
    const { storage, clock: now } = app()
    const used = async () => Object((await usageOf(sender)).storedBytes).used
    const call = (number: number): SpanSketch => ({
      traceId: traceIdOf(number),
      spanId: spanIdOf(1),
      start: Date.now() - 60_000,
      attributes: { 'gen_ai.operation.name': 'chat' },
    })
    const log = (number: number, name: string, body: object): LogSketch => {
      return { traceId: traceIdOf(number), spanId: spanIdOf(1), name, time: Date.now() - 59_000, body }
    }
    const question = { content: 'How warm is it in Zürich?' }
    await sendLogs(client, [log(1, 'gen_ai.user.message', question)])
    await sendSpans(client, [call(1), call(2)])
    expect(await used()).toBe(await contentBytes(workspaceId))
    await sendLogs(client, [
      log(1, 'gen_ai.choice', { message: { content: 'É'.repeat(500) } }),
      log(2, 'gen_ai.user.message', question),
      log(2, 'note', { content: 'becomes neither input nor output' }),
    ])
    await sendLogs(client, [log(2, 'note', { content: 'nor does this' })])
    expect(await used()).toBe(await contentBytes(workspaceId))

    // As a mapping that knew nothing of events would have stored them.
    await storage.transaction(async (tx) => {
      await tx.updateTable('spans').set({ input: null }).where('workspace_id', '=', workspaceId).execute()
      await tx.updateTable('traces').set({ mapping_version: 0 }).where('workspace_id', '=', workspaceId).execute()
    })
    const stored_bytes = await contentBytes(workspaceId)
    await storage.transaction((tx) =>
      tx.updateTable('workspace_usage').set({ stored_bytes }).where('workspace_id', '=', workspaceId).execute(),
    )
    const linker = createTraceLinker({ clock: now, newId: idGenerator(now) })
    expect(await remapTraces({ db: storage, linker, onProgress: () => {} }, workspaceId)).toBe(2)
    expect(await contentBytes(workspaceId)).toBeGreaterThan(stored_bytes)
    expect(await used()).toBe(await contentBytes(workspaceId))

    for (const trace of await client.list('/traces')) await client.delete(`/traces/${trace.id}`)
    await waitFor('the bytes to be free', async () => (await contentBytes(workspaceId)) === 0 || undefined)
    expect(await used()).toBe(0)
  })

  it('use is shown, and has no limit', async () => {
    const sender = await app().newWorkspace()
    expect((await send(sender, batch(0, 200))).status).toBe(200)
    expect(await usageOf(sender)).toMatchObject({
      spansToday: { used: 200, limit: null },
      evaluationsToday: { used: 0, limit: null },
      storedBytes: { limit: null },
    })
  })
})
