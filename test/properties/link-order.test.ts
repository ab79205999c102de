// @module-tag sql
/** Which datasets and runs a trace belongs to does not depend on the order in which its spans arrive. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { type SpanSketch, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { runs } from '../harness/stage.ts'
import type { SeededWorkspace } from '../harness/test-app.ts'

const RUNS = runs(15)
const START_MS = Date.now() - 3_600_000
const COMPONENTS = ['First', 'Second']
/** Of an item that each dataset has from the start. */
const KNOWN_QUESTION = 'How warm is it?'
/** Stands for the id of that item, which is another one in each workspace. */
const KNOWN_ITEM = 'the known item'

const option = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 })

const someSpan = fc.record({
  component: option(...COMPONENTS),
  dataset: option('Old', 'New'),
  run: option('one', 'two'),
  item: option(KNOWN_ITEM),
  input: option(KNOWN_QUESTION, 'How cold is it?'),
  isLlm: fc.boolean(),
  startMs: fc.nat(20),
})

type SomeSpan = typeof someSpan extends fc.Arbitrary<infer Span> ? Span : never

/** The spans of a trace, the first of which is the root, and a way to cut them into batches. */
const someArrival = fc.array(someSpan, { minLength: 2, maxLength: 6 }).chain((spans) =>
  fc.record({
    spans: fc.constant(spans),
    order: fc.shuffledSubarray([...spans.keys()], { minLength: spans.length }),
    cuts: fc.array(fc.nat(spans.length), { maxLength: 4 }),
  }),
)

type Seeded = SeededWorkspace & { componentIds: string[]; itemIds: Record<string, string> }

describeEachEngine('links of a trace', (app) => {
  async function seed(): Promise<Seeded> {
    const workspace = await app().newWorkspace()
    const componentIds: string[] = []
    const itemIds: Record<string, string> = {}
    for (const name of COMPONENTS) {
      const id = await workspace.client.create('/components', { name })
      const dataset = await workspace.client.create(`/components/${id}/datasets`, { name: 'Old' })
      const path = `/components/${id}/datasets/${dataset}/items`
      itemIds[name] = await workspace.client.create(path, { input: KNOWN_QUESTION })
      componentIds.push(id)
    }
    return { ...workspace, componentIds, itemIds }
  }

  it('are the same for any batches and any order of its spans', { tags: 'sized' }, async () => {
    await fc.assert(
      fc.asyncProperty(someArrival, async ({ spans, order, cuts }) => {
        const [atOnce, inPieces] = [await seed(), await seed()]
        await sendSpans(
          atOnce.client,
          spans.map((span, place) => sketch(span, place, atOnce)),
        )
        const ends = [...new Set([...cuts, spans.length])].sort((a, b) => a - b)
        for (const [place, end] of ends.entries()) {
          const batch = order.slice(ends[place - 1] ?? 0, end)
          const sketches = batch.map((number) => sketch(spans[number], number, inPieces))
          if (sketches.length > 0) await sendSpans(inPieces.client, sketches)
        }
        expect(await linksIn(inPieces)).toEqual(await linksIn(atOnce))
      }),
      { numRuns: RUNS, endOnFailure: true },
    )
  })

  it('created by a request stay when later spans name others', async () => {
    const seeded = await seed()
    const { client, componentIds } = seeded
    const common = { component: 'First', item: undefined, input: undefined, isLlm: false }
    await sendSpans(client, [sketch({ ...common, dataset: 'Old', run: 'one', startMs: 9 }, 1, seeded)])
    const [dataset] = await client.list(`/components/${componentIds[0]}/datasets`)
    const [run] = await client.list(`/components/${componentIds[0]}/runs`)
    const traceId = traceIdOf(1)
    await client.post(`/components/${componentIds[0]}/datasets/${dataset?.id}/items`, { traceId })
    await client.post(`/components/${componentIds[0]}/runs/${run?.id}/traces`, { traceIds: [traceId] })
    await sendSpans(client, [sketch({ ...common, dataset: 'New', run: 'two', startMs: 0 }, 0, seeded)])
    const links = await linksIn(seeded)
    expect(links).toContain('First / Old / of the trace')
    expect(links).toContain('First / Old / run one')
    expect(links).toContain('First / New / run two')
  })
})

function sketch(span: SomeSpan | undefined, place: number, { itemIds }: Seeded): SpanSketch {
  if (!span) throw new Error(`there is no span ${place}`)
  const { component, dataset, run, item, input, isLlm, startMs } = span
  const attributes = {
    ...(component && { 'touchstone.component': component }),
    ...(dataset && { 'touchstone.dataset': dataset }),
    ...(run && { 'touchstone.run': run }),
    ...(item && { 'touchstone.item.id': itemIds.First }),
    ...(input && { 'touchstone.input': input }),
    ...(isLlm && { 'gen_ai.operation.name': 'chat' }),
  }
  const start = START_MS + startMs
  const parent = place === 0 ? {} : { parentSpanId: spanIdOf(0) }
  return { traceId: traceIdOf(1), spanId: spanIdOf(place), ...parent, start, attributes }
}

/** What the API shows of items and runs, in words. Counts must agree with what is listed. */
async function linksIn({ client, componentIds }: Seeded): Promise<string[]> {
  const links: string[] = []
  for (const [place, id] of componentIds.entries()) {
    const at = `/components/${id}`
    const names = new Map<unknown, string>()
    for (const dataset of await client.list(`${at}/datasets`)) {
      const name = `${COMPONENTS[place]} / ${dataset.name}`
      names.set(dataset.id, name)
      const items = await client.list(`${at}/datasets/${dataset.id}/items`)
      expect(dataset.itemCount).toBe(items.length)
      for (const { traceId } of items) if (traceId !== null) links.push(`${name} / of the trace`)
    }
    for (const run of await client.list(`${at}/runs`)) links.push(...(await linksOfRun(client, at, run, names)))
  }
  return links.sort()
}

async function linksOfRun(
  client: Client,
  at: string,
  run: Record<string, unknown>,
  datasets: ReadonlyMap<unknown, string>,
): Promise<string[]> {
  const traces = await client.list(`${at}/runs/${run.id}/traces`)
  expect(run.traceCount).toBe(traces.length)
  return traces.map(() => `${datasets.get(run.datasetId)} / run ${run.name}`)
}
