// @module-tag sql
import { expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { JobRun } from '../../src/jobs/job-handler.ts'
import { repriceHandler } from '../../src/traces/pricing/reprice-traces.ts'
import { expectError, NEW_ID } from '../conformance/answer-forms.ts'
import { DAY } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { countRollups, ofAllTime, readRollups, type SpanToStore, storeTrace } from './stored-traces.ts'

const NOW = Date.now()
const PRICE = { modelPattern: 'our-model', inputPerMillion: 1_000_000, outputPerMillion: 10 }

/** A span as ingestion leaves it: its tokens are in its attributes, too. */
function span(model: string, input: number, more: Partial<SpanToStore> & { cacheRead?: number } = {}): SpanToStore {
  const { cacheRead, ...columns } = more
  return {
    model,
    tokens: { input, output: 0 },
    attributes: {
      'gen_ai.request.model': model,
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': 0,
      ...(cacheRead === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cacheRead }),
    },
    ...columns,
  }
}

/** Reports the sum of the spans below it, as agents do. */
function agent(spanId: string, model: string, input: number, more: Partial<SpanToStore> = {}): SpanToStore {
  return { ...span(model, input, more), spanId, kind: 'agent', name: 'agent' }
}

describeEachEngine('POST /traces/reprice', (app) => {
  async function costOf(traceDbId: string) {
    const { cost_usd } = await app()
      .storage.read.selectFrom('traces')
      .select('cost_usd')
      .where('id', '=', traceDbId)
      .executeTakeFirstOrThrow()
    return cost_usd
  }

  async function spansOf(traceDbId: string) {
    return app()
      .storage.read.selectFrom('spans')
      .select(['span_id', 'cost_usd', 'cost_basis', 'covered_usage'])
      .where('trace_id', '=', traceDbId)
      .orderBy('span_id')
      .execute()
  }

  it('202 prices spans without a price in the background, with the price that was added since, and updates the sums', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const id = await storeTrace(app().storage, { workspaceId, atMs: NOW, spans: [span('our-model', 3)] })
    const priceId = await client.create('/prices', PRICE)
    const { status, body } = await client.post('/traces/reprice', {})
    expect([status, body]).toEqual([202, { jobId: NEW_ID }])
    await waitForJobs(app().storage, workspaceId)
    expect(await spansOf(id)).toMatchObject([{ cost_usd: 3, cost_basis: `application price ${priceId}` }])
    expect(await costOf(id)).toBe(3)
    expect(ofAllTime(await readRollups(app().storage, workspaceId))).toMatchObject([
      { traces: 1, tokens: 3, costUsd: 3 },
    ])
  })

  it('keeps reported costs and spans without tokens, and removes a cost without a price', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const reported = span('our-model', 5, { spanId: 'a', costUsd: 0.5, costBasis: 'reported' })
    const tool = { spanId: 'b', kind: 'tool' }
    const unpriced = span('unknown-model', 5, { spanId: 'c', costUsd: 7, costBasis: 'application price gone' })
    const id = await storeTrace(app().storage, { workspaceId, atMs: NOW, spans: [reported, tool, unpriced] })
    await client.create('/prices', PRICE)
    await client.post('/traces/reprice', {})
    await waitForJobs(app().storage, workspaceId)
    expect(await spansOf(id)).toEqual([
      { span_id: 'a', cost_usd: 0.5, cost_basis: 'reported', covered_usage: 0 },
      { span_id: 'b', cost_usd: null, cost_basis: null, covered_usage: 0 },
      { span_id: 'c', cost_usd: null, cost_basis: null, covered_usage: 0 },
    ])
    expect(await costOf(id)).toBe(0.5)
    expect(await readRollups(app().storage, workspaceId)).toEqual(await countRollups(app().storage, workspaceId))
  })

  it('makes the cost of a trace null, and not 0, when none of its spans has a price', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const spans = [span('unknown-model', 5, { costUsd: 7, costBasis: 'application price gone' })]
    const id = await storeTrace(app().storage, { workspaceId, atMs: NOW, spans })
    await client.post('/traces/reprice', {})
    await waitForJobs(app().storage, workspaceId)
    expect(await costOf(id)).toBeNull()
    expect(ofAllTime(await readRollups(app().storage, workspaceId))).toMatchObject([{ traces: 1, costUsd: 0 }])
  })

  it('uses cached tokens and the bundled prices', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const cached = span('gpt-4o', 10_000, { cacheRead: 8_000, provider: 'openai' })
    const id = await storeTrace(app().storage, { workspaceId, atMs: NOW, spans: [cached] })
    await client.post('/traces/reprice', {})
    await waitForJobs(app().storage, workspaceId)
    expect(await costOf(id)).toBeCloseTo(0.015, 12)
    expect((await spansOf(id))[0]?.cost_basis).toMatch(/^genai-prices /)
  })

  it('counts an agent’s own sum only while nothing below it has a cost', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage } = app()
    const below = { parentSpanId: 'agent', spanId: 'call' }
    const gained = await storeTrace(storage, {
      workspaceId,
      atMs: NOW,
      spans: [agent('agent', 'our-model', 9, { costUsd: 9, covered: 1 }), span('our-model', 4, below)],
    })
    const lost = await storeTrace(storage, {
      workspaceId,
      atMs: NOW,
      spans: [
        agent('agent', 'our-model', 9, { costUsd: 9, covered: 3 }),
        span('unknown-model', 4, { ...below, costUsd: 4, costBasis: 'application price gone' }),
      ],
    })
    await client.create('/prices', PRICE)
    await client.post('/traces/reprice', {})
    await waitForJobs(storage, workspaceId)
    expect(await costOf(gained)).toBe(4)
    expect((await spansOf(gained)).map(({ covered_usage }) => covered_usage)).toEqual([3, 0])
    expect(await costOf(lost)).toBe(9)
    expect((await spansOf(lost)).map(({ covered_usage }) => covered_usage)).toEqual([1, 0])
    expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
  })

  it('changes only traces of this workspace that began in the requested time', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const other = await app().newWorkspace()
    await client.create('/prices', PRICE)
    await other.client.create('/prices', PRICE)
    const spans = () => [span('our-model', 1)]
    const ids: string[] = []
    for (const ago of [3, 2, 1])
      ids.push(await storeTrace(app().storage, { workspaceId, atMs: NOW - ago * DAY, spans: spans() }))
    const foreign = await storeTrace(app().storage, {
      workspaceId: other.workspaceId,
      atMs: NOW - 2 * DAY,
      spans: spans(),
    })
    const window = {
      startAfter: new Date(NOW - 2 * DAY).toISOString(),
      startBefore: new Date(NOW - DAY).toISOString(),
    }
    expect((await client.post('/traces/reprice', window)).status).toBe(202)
    await waitForJobs(app().storage, workspaceId)
    expect(await Promise.all([...ids, foreign].map(costOf))).toEqual([null, 1, null, null])
  })

  it('does not change a deleted trace', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const id = await storeTrace(app().storage, {
      workspaceId,
      atMs: NOW,
      spans: [span('our-model', 1)],
      isDeleted: true,
    })
    await client.create('/prices', PRICE)
    await client.post('/traces/reprice', {})
    await waitForJobs(app().storage, workspaceId)
    expect(await costOf(id)).toBeNull()
    expect(await readRollups(app().storage, workspaceId)).toEqual([])
  })

  it('400 for an invalid time', async () => {
    const { client } = await app().newWorkspace()
    expectError(await client.post('/traces/reprice', { startAfter: 'yesterday' }), 400, /startAfter must be a time/)
    expectError(await client.post('/traces/reprice', { startBefore: 5 }), 400, /startBefore/)
    expectError(await client.post('/traces/reprice', { surplus: 1 }), 400, /surplus/)
  })

  it('is in the audit log', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { body } = await client.post('/traces/reprice', {})
    const admin = await browserWith(app(), workspaceId, 'admin')
    expect(await admin.list('/audit-log?action=traces')).toMatchObject([
      { action: 'traces.repriced', resourceId: body.jobId },
    ])
  })
})

describeEachEngine(
  'repricing',
  (app) => {
    /** Runs the job here and not in the runner, so that it can be killed before any of its transactions. */
    async function reprice(workspaceId: string, before: (writes: number) => void = () => {}): Promise<number> {
      const { storage } = app()
      const clock = systemClock()
      let writes = 0
      const run: JobRun = {
        workspaceId,
        payload: {},
        db: storage,
        clock,
        newId: idGenerator(clock),
        signal: new AbortController().signal,
        commit: async (work) => {
          writes += 1
          before(writes)
          return storage.transaction(work)
        },
        shouldYield: () => false,
      }
      await repriceHandler.run(run)
      return writes
    }

    it('is one job for any number of requests before it begins', async () => {
      const { client } = await app().newWorkspace()
      const first = await client.post('/traces/reprice', {})
      const again = await client.post('/traces/reprice', {})
      const other = await client.post('/traces/reprice', { startAfter: '2026-01-01T00:00:00Z' })
      expect(again.body).toEqual(first.body)
      expect(other.body).not.toEqual(first.body)
    })

    it('that is killed at any moment leaves sums that agree, and the next run ends the same', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const { storage } = app()
      for (let place = 0; place < 70; place += 1) {
        const count = place === 5 ? 600 : 1 + (place % 3)
        const spans = Array.from({ length: count }, () => span('our-model', 1 + (place % 5)))
        await storeTrace(storage, { workspaceId, atMs: NOW - place * 1_000, service: `s${place % 2}`, spans })
      }
      await client.create('/prices', PRICE)
      const total = async () => {
        const sums = await readRollups(storage, workspaceId)
        expect(sums).toEqual(await countRollups(storage, workspaceId))
        return sums.reduce((sum, { costUsd }) => sum + costUsd, 0)
      }
      const totals: number[] = []
      for (let killedAt = 0; ; killedAt += 1) {
        const outcome = await reprice(workspaceId, (writes) => {
          if (writes > killedAt) throw new Error('killed')
        }).catch(() => 'killed')
        totals.push(await total())
        if (outcome !== 'killed') break
      }
      expect(totals.length).toBeGreaterThan(5)
      expect(totals).toEqual(totals.toSorted((a, b) => a - b))
      const tokens = (await readRollups(storage, workspaceId)).reduce((sum, row) => sum + row.tokens, 0)
      expect(totals.at(-1)).toBe(tokens)
      await reprice(workspaceId)
      expect(await total()).toBe(tokens)
    })
  },
  { works: false },
)
