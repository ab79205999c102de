/** The sums of traces outlive the component that they name: for any order of deletes, they are those of the traces. */
import { expect, it } from 'vitest'
import { chunksOf } from '../../src/base/event-loop.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { requestClearingOfAnyWorkspace } from '../../src/traces/retention/request-clearing.ts'
import { DAY } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'
import { countRollups, ofAllTime, readRollups, storeTrace } from './stored-traces.ts'

const ORDERS = [
  ['component', 'late span', 'trace', 'retention'],
  ['late span', 'component', 'retention', 'trace'],
  ['trace', 'component', 'late span', 'retention'],
  ['component', 'trace', 'retention', 'late span'],
  ['component', 'retention', 'late span', 'trace'],
  ['retention', 'component', 'late span', 'trace'],
] as const

type Step = (typeof ORDERS)[number][number]

describeEachEngine('the sums of traces whose component is deleted', (app) => {
  async function newWorkspace() {
    const { workspaceId, client } = await app().newWorkspace()
    const componentId = await client.create('/components', { name: 'Bot' })
    const admin = await browserWith(app(), workspaceId, 'admin')
    return { workspaceId, client, admin, componentId, component: `/components/${componentId}` }
  }

  function spanOf(trace: number, span: number) {
    const attributes = {
      'touchstone.component': 'Bot',
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 10 ** span,
      'gen_ai.usage.output_tokens': trace,
      'gen_ai.usage.cost': 0.125 * span,
      'deployment.environment.name': `e${trace % 2}`,
    }
    const parent = span === 1 ? {} : { parentSpanId: spanIdOf(1) }
    const start = Date.now() - trace * 3_600_000
    return { traceId: traceIdOf(trace), spanId: spanIdOf(span), ...parent, start, attributes }
  }

  /** The sums by key, none of nothing, and the answer to people, who ask for the whole. */
  async function expectExact(workspaceId: string, client: Awaited<ReturnType<typeof newWorkspace>>['client']) {
    const { storage } = app()
    const counted = await countRollups(storage, workspaceId)
    expect(await readRollups(storage, workspaceId)).toEqual(counted)
    const rows = await storage.read
      .selectFrom('trace_rollups')
      .select(['tokens', 'cost_usd'])
      .where('workspace_id', '=', workspaceId)
      .where('traces', '=', 0)
      .execute()
    expect(rows.filter(({ tokens, cost_usd }) => tokens !== 0 || Math.abs(cost_usd) > 1e-9)).toEqual([])
    const total = (name: 'traces' | 'tokens' | 'costUsd') =>
      ofAllTime(counted).reduce((sum, rollup) => sum + rollup[name], 0)
    expect((await client.get('/traces/stats?days_back=90')).body).toMatchObject({
      totalTraces: total('traces'),
      totalTokens: total('tokens'),
      totalCostUsd: total('costUsd'),
    })
  }

  it.each(ORDERS.map((order) => [order.join(', '), order] as const))('are exact after: %s', async (_, order) => {
    const { workspaceId, client, admin, componentId, component } = await newWorkspace()
    const { storage, clock } = app()
    for (const trace of [1, 2, 3]) await sendSpans(client, [spanOf(trace, 1)])
    await storeTrace(storage, { workspaceId, componentId, atMs: Date.now() - 30 * DAY, service: 'old' })
    const steps: Record<Step, () => Promise<unknown>> = {
      component: () => client.delete(component),
      'late span': () => sendLate(client),
      trace: () => client.delete(`/traces/${traceIdOf(1)}`),
      retention: async () => {
        await admin.send('PUT', '/retention', { body: { days: 7 } })
        await requestClearingOfAnyWorkspace(storage, { clock, newId: idGenerator(clock) })
      },
    }
    await expectExact(workspaceId, client)
    for (const step of order) {
      await steps[step]()
      await waitForJobs(storage, workspaceId)
      await expectExact(workspaceId, client)
    }
    expect(await countRows(storage, workspaceId)).not.toHaveProperty('components')
  })

  async function sendLate(client: Awaited<ReturnType<typeof newWorkspace>>['client']) {
    for (const trace of [1, 2]) {
      const { attributes, ...span } = spanOf(trace, 2)
      const { 'touchstone.component': _, ...others } = attributes
      await sendSpans(client, [{ ...span, attributes: others }])
    }
  }

  it('are exact also for more traces than are released at once, of which some are deleted, while spans arrive', async () => {
    const { workspaceId, client, componentId, component } = await newWorkspace()
    const { storage } = app()
    const spans = [{ tokens: { input: 3, output: 4 }, costUsd: 0.25 }]
    const places = Array.from({ length: 620 }, (_, place) => place)
    for (const some of chunksOf(places, 31)) {
      const stored = some.map((place) => {
        const isDeleted = place % 10 === 0
        const atMs = Date.now() - (place % 48) * 3_600_000
        return storeTrace(storage, { workspaceId, componentId, atMs, spans, isDeleted, service: `s${place % 3}` })
      })
      await Promise.all(stored)
    }
    await sendSpans(client, [spanOf(1, 1)])
    expect((await client.delete(component)).status).toBe(204)
    await Promise.all([sendLate(client), waitForJobs(storage, workspaceId)])
    await waitForJobs(storage, workspaceId)
    await expectExact(workspaceId, client)
    const left = await storage.read
      .selectFrom('traces')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('component_id', 'is not', null)
      .execute()
    expect(left).toEqual([])
  })
})
