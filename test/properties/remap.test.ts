// @module-tag sized
// @module-tag sql
/** Mapping stored traces again: it changes nothing that is up to date, and the result of an older mapping becomes that of the current one. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createTraceLinker } from '../../src/ingestion/link-arrived-traces.ts'
import { remapTraces } from '../../src/ingestion/remap-traces.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import { rowsOfWorkspaces } from '../isolation/workspace-rows.ts'
import { countRollups, readRollups } from '../traces/stored-traces.ts'
import { batchesOf, sendBatch, spanTree } from './random-spans.ts'

const RUNS = runs(6)
const START_MS = Date.now() - 3_600_000

const someSpans = fc
  .tuple(spanTree(1, START_MS), spanTree(2, START_MS - 10_000))
  .chain((traces) => batchesOf(traces.flat()))

describeEachEngine('mapping again', (app) => {
  async function remap(workspaceId: string, storage: Storage = app().storage): Promise<number> {
    const { clock } = app()
    const linker = createTraceLinker({ clock, newId: idGenerator(clock) })
    return remapTraces({ db: storage, linker, onProgress: () => {} }, workspaceId)
  }

  it('does not change traces that are up to date', async () => {
    await fc.assert(
      fc.asyncProperty(someSpans, async (batches) => {
        const { client, workspaceId } = await app().newWorkspace()
        for (const batch of batches) await sendBatch(client, batch)
        const before = await storedOf(app().storage, workspaceId)
        expect(await remap(workspaceId)).toBe(0)
        await forgetVersion(app().storage, workspaceId)
        expect(await remap(workspaceId)).toBeGreaterThan(0)
        expect(await storedOf(app().storage, workspaceId)).toEqual(before)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it('turns the result of an older mapping into that of the current one', async () => {
    await fc.assert(
      fc.asyncProperty(someSpans, async (batches) => {
        const { client, workspaceId } = await app().newWorkspace()
        const { storage } = app()
        for (const batch of batches) await sendBatch(client, batch)
        const fresh = await storedOf(storage, workspaceId)
        await forgetMeaning(storage, workspaceId)
        expect(await storedOf(storage, workspaceId)).not.toEqual(fresh)
        await remap(workspaceId)
        expect(await storedOf(storage, workspaceId)).toEqual(fresh)
        expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
        expect(await remap(workspaceId)).toBe(0)
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it('keeps the cost of a span and its basis, and fills in one that was unknown', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage } = app()
    const attributes = { 'gen_ai.request.model': 'gpt-4o-mini', 'gen_ai.usage.input_tokens': 1_000 }
    const spans = [1, 2, 3].map((place): SpanSketch => {
      return {
        traceId: traceIdOf(7),
        spanId: spanIdOf(place),
        start: START_MS,
        attributes: { ...attributes, ...(place === 3 ? { 'touchstone.cost_usd': 3 } : {}) },
      }
    })
    await sendSpans(client, spans)
    const costs = () =>
      storage.read
        .selectFrom('spans')
        .select(['cost_usd', 'cost_basis'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('span_id')
        .execute()
    const [, second, third] = await costs()
    await storage.transaction(async (tx) => {
      const spansOf = tx.updateTable('spans').where('workspace_id', '=', workspaceId)
      await spansOf.set({ cost_usd: 7, cost_basis: 'genai-prices 0.0.1' }).where('span_id', '=', spanIdOf(1)).execute()
      await spansOf.set({ cost_usd: null, cost_basis: null }).where('span_id', '<>', spanIdOf(1)).execute()
    })
    await forgetVersion(storage, workspaceId)
    await remap(workspaceId)
    expect(await costs()).toEqual([{ cost_usd: 7, cost_basis: 'genai-prices 0.0.1' }, second, third])
    expect((await client.get(`/traces/${traceIdOf(7)}`)).body.totalCostUsd).toBeCloseTo(10 + (second?.cost_usd ?? 0), 9)
  })

  it('finds new texts by search, and links traces that name a component, a dataset and a run', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage } = app()
    const attributes = {
      'touchstone.input': 'a heron',
      'touchstone.component': 'Birds',
      'touchstone.dataset': 'Waders',
      'touchstone.run': 'First',
    }
    // The component does not exist yet, so that nothing is linked.
    await client.post('/v1/traces', otlpRequest([{ traceId: traceIdOf(8), spanId: spanIdOf(1), attributes }]))
    await storage.transaction(async (tx) => {
      await tx
        .updateTable('spans')
        .set({ input: null, input_from: null, attributes: JSON.stringify(attributes) })
        .where('workspace_id', '=', workspaceId)
        .execute()
      await tx.updateTable('traces').set({ links: null }).where('workspace_id', '=', workspaceId).execute()
    })
    expect((await client.get('/traces?q=heron')).body.total).toBe(0)
    const componentId = await client.create('/components', { name: 'Birds' })
    await forgetVersion(storage, workspaceId)
    await remap(workspaceId)
    expect((await client.get('/traces?q=heron')).body.total).toBe(1)
    const [run] = await client.list(`/components/${componentId}/runs`)
    expect(run).toMatchObject({ name: 'First', traceCount: 1 })
    const items = await client.list(`/components/${componentId}/datasets/${run?.datasetId}/items`)
    expect(items).toMatchObject([{ input: 'a heron' }])
    // A second time nothing is linked twice.
    await forgetVersion(storage, workspaceId)
    await remap(workspaceId)
    expect(await client.list(`/components/${componentId}/runs`)).toEqual([run])
  })
})

async function forgetVersion(storage: Storage, workspaceId: string): Promise<void> {
  await storage.transaction((tx) =>
    tx.updateTable('traces').set({ mapping_version: 0 }).where('workspace_id', '=', workspaceId).execute(),
  )
}

/** As a mapping would have stored it that understands nothing: what was sent is all there is. */
async function forgetMeaning(storage: Storage, workspaceId: string): Promise<void> {
  await storage.transaction(async (tx) => {
    const rows = await tx.selectFrom('spans').selectAll().where('workspace_id', '=', workspaceId).execute()
    for (const row of rows) {
      const attributes = {
        ...JSON.parse(row.attributes),
        ...(row.input_from !== null && { [row.input_from]: row.input }),
        ...(row.output_from !== null && { [row.output_from]: row.output }),
      }
      const sentStatus = row.sent_status ?? row.status
      await tx
        .updateTable('spans')
        .set({
          name: row.sent_name ?? row.name,
          sent_name: null,
          kind: 'span',
          status: sentStatus === 'unset' ? 'ok' : sentStatus,
          sent_status: sentStatus === 'unset' ? 'unset' : null,
          model: null,
          provider: 'unknown',
          input: null,
          input_from: null,
          output: null,
          output_from: null,
          input_tokens: null,
          output_tokens: null,
          total_tokens: null,
          cost_usd: null,
          cost_basis: null,
          covered_usage: 0,
          attributes: JSON.stringify(attributes),
        })
        .where('workspace_id', '=', workspaceId)
        .where('trace_id', '=', row.trace_id)
        .where('span_id', '=', row.span_id)
        .execute()
      const facets = tx.deleteFrom('trace_facets').where('workspace_id', '=', workspaceId)
      await facets.where('facet', 'in', ['kind', 'model', 'provider']).execute()
    }
    const traces = await tx.selectFrom('traces').select('id').where('workspace_id', '=', workspaceId).execute()
    for (const { id } of traces) {
      for (const [facet, value] of [
        ['kind', 'span'],
        ['provider', 'unknown'],
      ] as const) {
        await tx.insertInto('trace_facets').values({ workspace_id: workspaceId, facet, value, trace_id: id }).execute()
      }
    }
    await tx
      .updateTable('traces')
      .set({
        mapping_version: 0,
        first_llm_span_id: null,
        first_llm_ns: null,
        last_llm_span_id: null,
        last_llm_ns: null,
        root_status: 'ok',
      })
      .where('workspace_id', '=', workspaceId)
      .execute()
  })
}

/** Every row of the tables that are derived from spans, without row numbers; fractions without rounding errors. */
async function storedOf(storage: Storage, workspaceId: string) {
  const rows = await rowsOfWorkspaces(storage, workspaceId)
  const table = (name: string) =>
    (rows[name] ?? [])
      .map(({ position: _, attributes, ...row }) => ({
        ...row,
        // In the order in which spans came, which is not kept.
        ...(typeof row.tags === 'string' ? { tags: JSON.parse(row.tags).sort() } : {}),
        ...(typeof attributes === 'string' ? { attributes: JSON.parse(attributes) } : {}),
        ...(typeof row.cost_usd === 'number' ? { cost_usd: Number(row.cost_usd.toFixed(9)) } : {}),
      }))
      .filter((row) => !('traces' in row && row.traces === 0))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  return {
    traces: table('traces'),
    spans: table('spans'),
    facets: table('trace_facets'),
    sums: table('trace_rollups'),
    sourceSums: table('trace_source_rollups'),
    promptSums: table('prompt_rollups'),
    hours: table('trace_hours'),
  }
}
