import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { FIND_INVOICE, price, type Row, spentToday } from '../playground/trying.ts'
import { allCalls, readTrial, seedPromptTrials, startTrial, trialWith, version } from './seed-trial.ts'

describeEachEngine(
  'trials of prompts',
  (app) => {
    it('each variant answers each item, with a trace that has messages, usage, cost and its source', async () => {
      const of = await seedPromptTrials(app(), { items: 4, answer: ({ user }) => `You asked: ${user}` })
      await price(of)
      const { client, promptId, componentId, server } = of
      const variants = [version(promptId, 1), version(promptId, 2, { parameters: { temperature: 0.5 } })]
      const trial = await startTrial(of, { name: 'both', variants, repetitions: 2 })
      const ended = await trialWith(client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', endedBy: 'done', error: null })
      expect(ended.progress).toEqual({ total: 16, done: 16, failed: 0, skipped: 0 })
      expect(server.requests).toHaveLength(16)
      expect(server.requests.filter(({ body }) => body.temperature === 0.5)).toHaveLength(8)
      expect(Object(ended.variants)).toMatchObject([
        { name: 'v1', total: 8, done: 8, reason: null },
        { name: 'v2 temperature=0.5', total: 8, done: 8 },
      ])
      const [first, second] = trial.runs
      expect(await client.get(`/components/${componentId}/runs/${first?.runId}`)).toMatchObject({
        body: { name: 'both: v1', traceCount: 8 },
      })
      const traces = await client.list(`/components/${componentId}/runs/${second?.runId}/traces`)
      expect(new Set(traces.map(({ itemId }) => itemId)).size).toBe(4)
      const { body: trace } = await client.get(`/traces/${traces[0]?.id}`)
      expect(String(trace.output)).toMatch(/^You asked: Answer briefly: question \d$/)
      const spans: Row[] = Object(trace.spans)
      expect(spans.map(({ kind }) => kind)).toEqual(['chain', 'llm'])
      expect(await client.list('/traces?q=source:trial&limit=100')).toHaveLength(16)
      const { spentUsd }: Record<string, unknown> = Object(ended.cost)
      expect(spentUsd).toBeGreaterThan(0)
      expect(await spentToday(of)).toMatchObject({ usd: expect.closeTo(Number(spentUsd), 6), reservedUsd: 0 })
    })

    it('the variables of a prompt get values by paths, constants, and the names of the input', async () => {
      const items = [{ input: JSON.stringify({ ask: { text: 'Where?' } }), metadata: { plan: 'pro' } }]
      const of = await seedPromptTrials(app(), { items })
      const text = '{{question}} {{company}} {{plan}} {{__proto__}}'
      const content = { messages: [{ role: 'user', content: text }], provider: 'models' }
      expect((await of.client.post(`${of.path}/versions`, { content })).status).toBe(201)
      const variables = {
        question: 'input.ask.text',
        company: { value: 'Halden' },
        plan: 'metadata.plan',
        ['__proto__']: { value: 'any name' },
      }
      const trial = await startTrial(of, { variants: [version(of.promptId, 3)], variables })
      await trialWith(of.client, trial.path)
      expect(of.server.requests.map(({ user }) => user)).toEqual(['Where? Halden pro any name'])
    })

    it('an item without a value fails alone, with the name of the variable, and no request', async () => {
      const items = [{ input: JSON.stringify({ question: 'a' }) }, { input: JSON.stringify({ other: 'b' }) }]
      const of = await seedPromptTrials(app(), { items })
      const trial = await startTrial(of, { variants: [version(of.promptId, 1)] })
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', progress: { done: 1, failed: 1 } })
      expect(of.server.requests).toHaveLength(1)
      const [failed] = await allCalls(of.client, trial.path, '&state=failed')
      expect(failed).toMatchObject({
        retryable: false,
        reason: expect.stringMatching(/^The item has no value for question;/),
      })
      expect(await of.client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)).toHaveLength(2)
    })

    it('an overloaded provider uses no attempt; its own errors use five', async () => {
      const of = await seedPromptTrials(app(), { items: 2 })
      of.server.misbehave({ status: 429 }, 9)
      const trial = await startTrial(of, { variants: [version(of.promptId, 1)], concurrency: 1 })
      expect(await trialWith(of.client, trial.path)).toMatchObject({ progress: { done: 2, failed: 0 } })
      of.server.misbehave({ status: 500 }, 5)
      const second = await startTrial(of, { variants: [version(of.promptId, 1)], concurrency: 1, sample: { n: 1 } })
      expect(await trialWith(of.client, second.path)).toMatchObject({ status: 'failed', progress: { failed: 1 } })
      const [failed] = await allCalls(of.client, second.path)
      expect(failed).toMatchObject({ state: 'failed', attempt: 5, retryable: true })
      expect((await of.client.post(`${second.path}/retry`, undefined)).status).toBe(202)
      expect(await trialWith(of.client, second.path)).toMatchObject({ status: 'completed', progress: { done: 1 } })
    })

    it('twenty rejections end a variant, and not the trial', async () => {
      const of = await seedPromptTrials(app(), {
        items: 30,
        misbehaviour: ({ body }) => (body.model === 'wrong' ? 'model not found' : undefined),
      })
      const variants = [version(of.promptId, 1), version(of.promptId, 1, { model: 'wrong' })]
      const trial = await startTrial(of, { variants, concurrency: 1 })
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', progress: { total: 60, done: 30, failed: 20, skipped: 10 } })
      expect(Object(ended.variants)[1]).toMatchObject({ failed: 20, skipped: 10 })
      expect(Object(ended.variants)[1].reason).toMatch(/^No call succeeded, and 20 have failed/)
    })

    it('goes on while its limit has room for one call, also if many ask for it at the same moment', async () => {
      const of = await seedPromptTrials(app(), { items: 60, answer: () => 'briefly' })
      await price(of, { modelPattern: 'model-1', outputPerMillion: 1_000 })
      // Each answer costs $0.002, and about $0.10 are reserved for one before it is sent.
      const body = { variants: [version(of.promptId, 1)], concurrency: 20, maxCostUsd: 0.24 }
      const trial = await startTrial(of, body)
      // Other writes make those of the calls wait, and then come to the database together.
      const ended = trialWith(of.client, trial.path)
      let isOver = false
      const writers = Array.from({ length: 4 }, async () => {
        while (!isOver) await of.client.create('/components', { name: 'Other' })
      })
      const { endedBy, progress } = await ended.finally(() => {
        isOver = true
      })
      await Promise.all(writers)
      expect({ endedBy, progress }).toMatchObject({ endedBy: 'done', progress: { done: 60 } })
    })

    it('never spends more than its limit, and says why it has ended', async () => {
      const of = await seedPromptTrials(app(), { items: 20 })
      // A call costs about 0.0005, and is reserved with 100 tokens of output at 0.01.
      await price(of)
      const trial = await startTrial(of, { variants: [version(of.promptId, 1)], maxCostUsd: 0.0125, concurrency: 8 })
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', endedBy: 'budget', cost: { maxUsd: 0.0125 } })
      expect(String(ended.error)).toMatch(/^The cost limit of \$0.0125 \(maxCostUsd\)/)
      const { done, skipped }: Record<string, unknown> = Object(ended.progress)
      expect(Number(done)).toBeGreaterThan(1)
      expect(Number(done) + Number(skipped)).toBe(20)
      const { spentUsd }: Record<string, unknown> = Object(ended.cost)
      expect(Number(spentUsd)).toBeLessThanOrEqual(0.0125)
    })

    it('calls of tools are the output, or get the answers that the trace of the item has', async () => {
      const of = await seedPromptTrials(app(), { items: [] })
      const { client, componentId, path, promptId, server } = of
      const spans = [{ name: 'find_invoice', kind: 'tool', input: '{"number": "7"}', output: '{"total": 7}' }]
      const traceId = await client.create(`/components/${componentId}/traces`, {
        input: { question: 'Invoice 7?' },
        spans,
      })
      const datasetId = await client.create(`/components/${componentId}/datasets`, {
        name: 'Traces',
        traceIds: [traceId],
      })
      const content = {
        messages: [{ role: 'user', content: 'Q: {{question}}' }],
        provider: 'models',
        tools: [FIND_INVOICE],
      }
      await client.post(`${path}/versions`, { content })
      const asks = { body: JSON.stringify(toolCall()) }
      server.misbehave(asks)
      const recorded = await startTrial({ ...of, datasetId }, { variants: [version(promptId, 3)] })
      expect(await trialWith(client, recorded.path)).toMatchObject({ progress: { done: 1 } })
      server.misbehave(asks)
      const replayed = await startTrial({ ...of, datasetId }, { variants: [version(promptId, 3, { tools: 'replay' })] })
      expect(await trialWith(client, replayed.path)).toMatchObject({ progress: { done: 1 } })
      expect(server.requests).toHaveLength(3)
      const outputs = await Promise.all(
        [recorded, replayed].map(async ({ runs }) => {
          const [trace] = await client.list(`/components/${componentId}/runs/${runs[0]?.runId}/traces`)
          return String((await client.get(`/traces/${trace?.id}`)).body.output)
        }),
      )
      expect(outputs[0]).toContain('find_invoice')
      expect(outputs[1]).toBe('It is on its way.')
    })

    it('ends when its time is over, and keeps what it has', async () => {
      const of = await seedPromptTrials(app(), { items: 3, answer: () => 'fine' })
      of.server.misbehave({ status: 429 }, 10_000)
      const trial = await startTrial(of, { variants: [version(of.promptId, 1)], maxMinutes: 1 })
      await trialWith(of.client, trial.path, ['running'])
      await app().storage.transaction((tx) =>
        tx.updateTable('trials').set({ ends_at: '2026-01-01T00:00:00.000Z' }).where('id', '=', trial.id).execute(),
      )
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ status: 'failed', endedBy: 'time', progress: { skipped: 3 } })
    })

    it('a price is needed for a limit, and a limit of the application stops it', async () => {
      const of = await seedPromptTrials(app(), {})
      const body = { datasetId: of.datasetId, variants: [version(of.promptId, 1)], maxCostUsd: 1 }
      const rejected = await of.client.post(`/components/${of.componentId}/trials`, body)
      expectError(rejected, 409)
      expect(String(rejected.body.error)).toMatch(/^No price is configured for model-1/)
      expect(await readTrial(of.client, `/components/${of.componentId}/trials`)).toMatchObject({ data: [] })
    })
  },
  { retryPauseMs: 1 },
)

function toolCall() {
  const call = { id: 'call_1', type: 'function', function: { name: 'find_invoice', arguments: '{"number":"7"}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  return {
    model: 'model-1',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage: { prompt_tokens: 5, completion_tokens: 5 },
  }
}
