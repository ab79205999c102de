import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { copyTrace } from './copied-trace.ts'

const START = Date.UTC(2026, 10, 15, 9)

describeEachEngine('GET /traces/export', (app) => {
  it('has every trace of the query and the time range once, with whole texts', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const long = 'long '.repeat(100)
    const attributes = { 'touchstone.input': long, 'touchstone.output': '=1+1', 'touchstone.tags': ['a', 'b'] }
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), name: 'turn', start: START, attributes }])
    await copyTrace(app(), workspaceId, 450)
    await sendSpans(client, [{ traceId: traceIdOf(2), spanId: spanIdOf(2), name: 'late', start: START + 86_400_000 }])
    const parameters = new URLSearchParams({ q: 'name:turn', start_before: '2026-11-16T00:00:00Z' })
    const lines = (await client.get(`/traces/export?${parameters}`)).text.trimEnd().split('\n')
    const traces = lines.map((line) => Object(JSON.parse(line)))
    expect(new Set(traces.map(({ id }) => id)).size).toBe(451)
    expect(traces).toHaveLength(451)
    expect(traces.at(-1)).toMatchObject({ name: 'turn', input: long, output: '=1+1', tags: ['a', 'b'], scores: [] })
    parameters.set('format', 'csv')
    const { text, headers } = await client.get(`/traces/export?${parameters}`)
    expect(headers.get('content-disposition')).toBe('attachment; filename="traces.csv"')
    const rows = text.trimEnd().split('\r\n')
    expect(rows).toHaveLength(452)
    expect(rows[0]).toContain('"id","traceId","name","status"')
    // A spreadsheet would run it as a formula.
    expect(rows.at(-1)).toContain('"\'=1+1"')
    const all = (await client.get('/traces/export?format=jsonl')).text.trimEnd().split('\n')
    expect(all).toHaveLength(452)
    expect(JSON.parse(all[0] ?? '').name).toBe('late')
  })

  it('rejects a query that it cannot read, and is empty if no trace matches', async () => {
    const { client } = await app().newWorkspace()
    expect((await client.get('/traces/export?q=(')).status).toBe(400)
    expect((await client.get('/traces/export')).text).toBe('')
  })
})
