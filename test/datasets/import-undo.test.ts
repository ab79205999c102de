import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { runs } from '../harness/stage.ts'
import { until } from '../harness/wait-for.ts'

const CSV = { 'content-type': 'text/csv' }

describeEachEngine('an import that is undone', (app) => {
  async function newDataset() {
    const { client, workspaceId } = await app().newWorkspace()
    const component = `/components/${await client.create('/components', { name: 'Assistant' })}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'Questions' })
    return { client, workspaceId, component, datasetId, dataset: `${component}/datasets/${datasetId}` }
  }

  async function importFile(client: Client, dataset: string, file: string): Promise<string> {
    const { body, text } = await client.post(`${dataset}/import?file_name=questions.csv`, file, CSV)
    expect(body.importId, text).toEqual(expect.any(String))
    return `${dataset}/imports/${body.importId}`
  }

  const stateOf = async (client: Client, dataset: string) => ({
    items: await client.list(`${dataset}/items?limit=100`),
    count: (await client.get(dataset)).body.itemCount,
  })

  it('restores the exact state before it, and is undone only once', async () => {
    const { client, dataset } = await newDataset()
    await client.post(`${dataset}/items`, [{ input: 'by hand' }, { traceId: 'of a trace' }])
    await importFile(client, dataset, 'input\nfrom another import\n')
    const before = await stateOf(client, dataset)
    const at = await importFile(client, dataset, 'input,traceId\na,\nb,\nby hand,\n,of a trace\n,another\n')
    const dry = await client.send('POST', `${at}/undo?dry_run=true`)
    const counts = { removed: 4, kept: { changed: 0, used: 0 } }
    expect(dry.body).toEqual({ importId: at.split('/').at(-1), dryRun: true, ...counts })
    expect((await client.get(dataset)).body.itemCount).toBe(7)
    expect((await client.send('POST', `${at}/undo`)).body).toEqual({ ...dry.body, dryRun: false })
    expect(await stateOf(client, dataset)).toEqual(before)
    for (const path of [`${at}/undo`, `${at}/undo?dry_run=true`])
      expectError(await client.send('POST', path), 409, 'The import was undone before')
    expect((await client.get(at)).body).toMatchObject({
      fileName: 'questions.csv',
      state: 'undone',
      rows: 5,
      imported: 4,
      duplicates: 1,
      removed: 4,
      kept: 0,
      undoneAt: expect.any(String),
    })
  })

  it('keeps items that were changed since, and reports how many', async () => {
    const { client, dataset } = await newDataset()
    const at = await importFile(client, dataset, 'input\na\nb\nc\n')
    const [newest] = await client.list(`${dataset}/items?limit=1`)
    await client.patch(`${dataset}/items/${newest?.id}`, { expected: 'corrected' })
    expect((await client.send('POST', `${at}/undo`)).body).toMatchObject({ removed: 2, kept: { changed: 1, used: 0 } })
    expect(await client.list(`${dataset}/items`)).toEqual([{ ...newest, expected: 'corrected' }])
  })

  it('keeps items that a run contains, until the run is deleted', async () => {
    const { client, component, dataset, datasetId } = await newDataset()
    const at = await importFile(client, dataset, 'traceId\nt1\nt2\n')
    const runId = await client.create(`${component}/runs`, { datasetId, traceIds: ['t1', 't2'] })
    expectError(
      await client.send('POST', `${at}/undo`),
      409,
      /All 2 items of this import were changed or used by a run/,
    )
    expect((await client.get(at)).body.state).toBe('imported')
    await client.delete(`${component}/runs/${runId}`)
    expect((await client.send('POST', `${at}/undo`)).body).toMatchObject({ removed: 2 })
  })

  it('keeps items that an evaluation has scored', async () => {
    const { client, component, dataset, datasetId } = await newDataset()
    const at = await importFile(client, dataset, 'input,output,expected\na,b,b\n')
    const config = { evaluators: [{ type: 'exactMatch' }] }
    const evaluationId = await client.create(`${component}/evaluations`, { datasetId, config })
    await until(async () => {
      const { body } = await client.get(`${component}/evaluations/${evaluationId}`)
      if (body.status !== 'completed') throw new Error(`still ${body.status}`)
    })
    const more = await importFile(client, dataset, 'input\nc\n')
    const { body } = await client.send('POST', `${at}/undo?dry_run=true`)
    expect(body).toMatchObject({ removed: 0, kept: { changed: 0, used: 1 } })
    expect((await client.send('POST', `${more}/undo`)).body).toMatchObject({ removed: 1, kept: { used: 0 } })
  })

  it('of a file that was imported without options is listed and can be undone, too', async () => {
    const { client, dataset } = await newDataset()
    await client.post(`${dataset}/import`, '{"input":"a"}\n', { 'content-type': 'application/jsonl' })
    const [listed] = await client.list(`${dataset}/imports`)
    expect(listed).toMatchObject({ fileName: null, format: 'jsonl', rows: 1, imported: 1, state: 'imported' })
    expect((await client.send('POST', `${dataset}/imports/${listed?.id}/undo`)).status).toBe(200)
    expect((await client.get(dataset)).body.itemCount).toBe(0)
  })

  it('leaves the right count when two undo it at once', async () => {
    const { client, dataset } = await newDataset()
    await client.post(`${dataset}/items`, { input: 'stays' })
    const at = await importFile(client, dataset, 'input\na\nb\n')
    const both = await Promise.all([client.send('POST', `${at}/undo`), client.send('POST', `${at}/undo`)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect((await client.get(dataset)).body.itemCount).toBe(1)
  })

  it('removes its own items and no others, for any order in which imports are undone', { tags: 'sized' }, async () => {
    const { client, component } = await newDataset()
    const files = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 5 }), {
      minLength: 1,
      maxLength: 5,
    })
    await fc.assert(
      fc.asyncProperty(files, fc.infiniteStream(fc.nat()), async (contents, draws) => {
        const dataset = `${component}/datasets/${await client.create(`${component}/datasets`, { name: 'Any' })}`
        const open: { at: string; inputs: string[] }[] = []
        for (const [place, inputs] of contents.entries()) {
          const own = inputs.map((input) => `${place}${input}`)
          open.push({ at: await importFile(client, dataset, `input\n${own.join('\n')}\n`), inputs: own })
        }
        const [...order] = open.keys()
        while (open.length > 0) {
          const [undone] = open.splice((draws.next().value ?? 0) % open.length, 1)
          expect((await client.send('POST', `${undone?.at}/undo`)).body.removed).toBe(undone?.inputs.length)
          const { items, count } = await stateOf(client, dataset)
          expect(items.toReversed().map(({ input }) => input)).toEqual(open.flatMap(({ inputs }) => inputs))
          expect(count).toBe(items.length)
        }
        expect(await client.list(`${dataset}/imports`)).toHaveLength(order.length)
      }),
      { numRuns: runs(5) },
    )
  })

  it('404 for an import that is missing or of another dataset', async () => {
    const { client, component, dataset } = await newDataset()
    const other = await newDataset()
    const foreign = (await importFile(other.client, other.dataset, 'input\na\n')).split('/').at(-1)
    for (const path of [`${dataset}/imports/${ABSENT_ID}`, `${dataset}/imports/${foreign}`]) {
      expectError(await client.get(path), 404, 'Import not found')
      expectError(await client.send('POST', `${path}/undo`), 404, 'Import not found')
    }
    const at = await importFile(client, dataset, 'input\na\n')
    await client.delete(dataset)
    expectError(await client.get(at), 404, 'Import not found')
    expectError(await client.send('POST', `${at}/undo`), 404, 'Import not found')
    expect(await client.list(`${dataset}/imports`)).toEqual([])
    expect(component).toBeTruthy()
  })
})
