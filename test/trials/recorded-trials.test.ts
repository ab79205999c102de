/** Production is replayed: what another version answers to recorded questions is compared with what was answered then. */
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { blocksOf } from '../docs/documents.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans } from '../harness/otlp-json.ts'
import { FIND_INVOICE, price, type Row } from '../playground/trying.ts'
import {
  allCalls,
  type PromptTrials,
  seedPromptTrials,
  startTrial,
  trialsPath,
  trialWith,
  version,
} from './seed-trial.ts'

const TRACES = 12
const PRODUCTION = { name: 'production', target: { type: 'recorded' } }

/** Asks for the invoice of its question first, and then answers with what the tool has returned. */
function agent({ body }: { body: Row }) {
  const messages: Row[] = Object(body.messages)
  const result = messages.find(({ role }) => role === 'tool')
  if (result) return { content: `The invoice: ${result.content}` }
  const number = /\d+/.exec(String(messages.at(-1)?.content))?.[0]
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'find_invoice', arguments: `{"number":"${number}"}` },
  }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const usage = { prompt_tokens: 5, completion_tokens: 5 }
  return {
    body: JSON.stringify({ model: 'model-1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }),
  }
}

/** Traces of production with a tool, whose answers do not have the total, and a dataset of them. */
async function seed(of: PromptTrials, count = TRACES): Promise<{ datasetId: string; traceIds: string[] }> {
  const { client, componentId, path } = of
  const traceIds: string[] = []
  for (let number = 1; number <= count; number += 1) {
    const started = Date.now() - 60_000
    traceIds.push(
      await client.create(`/components/${componentId}/traces`, {
        name: 'support',
        input: { question: `Invoice ${number}?` },
        output: 'It is paid.',
        model: 'model-1',
        costUsd: 0.25,
        startTime: new Date(started).toISOString(),
        endTime: new Date(started + 1_500).toISOString(),
        spans: [{ name: 'find_invoice', kind: 'tool', input: { number: String(number) }, output: { total: number } }],
      }),
    )
  }
  const datasetId = await client.create(`/components/${componentId}/datasets`, { name: 'Production' })
  const query = JSON.parse(blocksOf('trials', 'replay-items', 'json')[0] ?? '')
  const added = await client.post(`/components/${componentId}/datasets/${datasetId}/items/from-query`, query)
  expect(added.body).toMatchObject({ added: count })
  const content = { messages: [{ role: 'user', content: '{{question}}' }], provider: 'models', tools: [FIND_INVOICE] }
  expect((await client.post(`${path}/versions`, { content })).status).toBe(201)
  return { datasetId, traceIds }
}

describeEachEngine('a trial with recorded answers', (app) => {
  it('compares versions with what production has answered, whose tools answer as they did then', async () => {
    const of = await seedPromptTrials(app(), { items: [], misbehaviour: agent })
    await price(of)
    const { client, componentId, promptId } = of
    const { datasetId, traceIds } = await seed(of)
    // As in the guide, word for word but for the ids.
    const [plan = ''] = blocksOf('trials', 'replay', 'json')
    const { variants, ...rest } = JSON.parse(plan.replace(/"promptId": "[^"]*"/, `"promptId": "${promptId}"`))
    const calling = { name: 'v3, first step', ...version(promptId, 3, { tools: 'record' }) }
    const body = { ...rest, datasetId, variants: [...variants, calling] }
    const estimate = await client.post(`${trialsPath(of)}?dry_run=true`, body)
    expect(estimate.body).toMatchObject({ calls: 3 * TRACES, missing: [] })
    const trial = await startTrial({ ...of, datasetId }, body)
    const ended = await trialWith(client, trial.path)
    expect(ended).toMatchObject({ status: 'completed', progress: { total: 3 * TRACES, done: 3 * TRACES } })
    expect(ended.variants).toMatchObject([
      { name: 'production', target: { type: 'recorded' }, costUsd: 0, durationMs: { median: 1_500 }, comparison: null },
      { name: 'v3', comparison: { verdict: 'improved' } },
      { name: 'v3, first step', comparison: { verdict: 'noClearDifference' } },
    ])
    expect(ended.ranking).toMatchObject({ best: 'v3', metric: 'total', expectedOnNew: { difference: 1 } })
    // What production has cost then.
    const front: Row[] = Object(ended.front)
    expect(front[0]).toMatchObject({ variant: 'v3', quality: { mean: 1 } })
    const [recordedRun] = trial.runs
    const linked = await client.list(`/components/${componentId}/runs/${recordedRun?.runId}/traces`)
    expect(linked.map(({ id }) => id).sort()).toEqual(traceIds.toSorted())
    const comparison = await client.get(
      `/components/${componentId}/comparisons?baseline=${recordedRun?.runId}&candidate=${trial.runs[1]?.runId}`,
    )
    const costs = Object(comparison.body.metrics).find(({ name }: Row) => name === 'costUsd')
    expect(costs).toMatchObject({ baseline: { mean: 0.25 } })
    // Its traces are still those of production.
    expect(await client.list('/traces?q=source:production name:support')).toHaveLength(TRACES)
    const [call] = await allCalls(client, trial.path, '&variant=production')
    expect(linked.map(({ traceId }) => traceId)).toContain(call?.traceId)
    const { body: matrix } = await client.get(`${trial.path}/matrix?limit=1`)
    const [first]: Row[] = Object(matrix.data)
    expect(Object(first?.calls)).toMatchObject([
      { variant: 'production', state: 'done', score: 0 },
      { variant: 'v3', state: 'done', score: 1 },
      { variant: 'v3, first step', state: 'done', score: 0 },
    ])
  })

  it('a trace stays in the run when later spans of it arrive, and counts once with repetitions', async () => {
    const of = await seedPromptTrials(app(), { items: [] })
    const { client, componentId } = of
    const { datasetId } = await seed(of, 2)
    const trial = await startTrial({ ...of, datasetId }, { variants: [PRODUCTION], repetitions: 3 })
    expect(await trialWith(client, trial.path)).toMatchObject({ status: 'completed', progress: { total: 6, done: 6 } })
    const run = `/components/${componentId}/runs/${trial.runs[0]?.runId}`
    const [trace] = await client.list(`${run}/traces`)
    const late = { traceId: String(trace?.traceId), spanId: 'ab'.repeat(8), name: 'late' }
    await sendSpans(client, [late])
    expect((await client.get(run)).body).toMatchObject({ traceCount: 2 })
    expect(await client.list(`${run}/traces`)).toHaveLength(2)
  })

  it('an item without a trace fails alone, and one whose trace comes later can be retried', async () => {
    const of = await seedPromptTrials(app(), { items: [] })
    const { client, componentId } = of
    const { datasetId } = await seed(of, 1)
    const items = `/components/${componentId}/datasets/${datasetId}/items`
    const traceId = 'cd'.repeat(16)
    expect((await client.post(items, [{ input: 'typed' }, { traceId, input: 'later' }])).status).toBe(201)
    const body = { variants: [PRODUCTION] }
    const estimate = await client.post(`${trialsPath(of)}?dry_run=true`, { datasetId, ...body })
    expect(estimate.body).toMatchObject({ missing: [{ variable: 'a recorded trace', items: 1, of: 3 }] })
    const trial = await startTrial({ ...of, datasetId }, body)
    expect(await trialWith(client, trial.path)).toMatchObject({ status: 'completed', progress: { done: 1, failed: 2 } })
    const failures = (await client.get(`${trial.path}/failures`)).body.data
    expect(failures).toContainEqual({
      variant: 'production',
      calls: 1,
      reason: expect.stringContaining('not created from a trace'),
      retryable: false,
    })
    expect(failures).toContainEqual({
      variant: 'production',
      calls: 1,
      reason: expect.stringContaining('has not arrived'),
      retryable: true,
    })
    await client.create(`/components/${componentId}/traces`, { traceId, input: 'later', output: 'here' })
    expect((await client.post(`${trial.path}/retry`, undefined)).status).toBe(202)
    expect(await trialWith(client, trial.path)).toMatchObject({ status: 'completed', progress: { done: 2, failed: 1 } })
  })

  it('is rejected without a recorded trace, twice in a trial, and with fields of other types', async () => {
    const of = await seedPromptTrials(app(), { items: 2 })
    const rejects = async (variants: Row[], error: string) => {
      const sent = await of.client.post(trialsPath(of), { datasetId: of.datasetId, variants })
      expectError(sent, 400, new RegExp(error))
    }
    await rejects([PRODUCTION], 'the dataset has none')
    await rejects([PRODUCTION, { ...PRODUCTION, name: 'again' }], 'at most one variant of type recorded')
    await rejects([{ target: { type: 'recorded', queue: 'agent' } }], 'target.queue belongs to targets of type worker')
  })
})
