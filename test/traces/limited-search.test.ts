// @module-tag sql
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

const FIRST = Date.UTC(2026, 9, 1)
const HOUR = 3_600_000
const startOf = (number: number) => new Date(FIRST + number * HOUR).toISOString()
/** As many as make a search of three traces longer than it may be. */
const SPANS_EACH = 9_000

/** A search compares at most 20,000 spans; the traces of these tests count as ones with many. */
describeEachEngine('a search that no index supports', (app) => {
  let client: Client

  /** They arrive in the opposite order of their start times. */
  beforeAll(async () => {
    const workspace = await app().newWorkspace()
    client = workspace.client
    for (const number of [5, 4, 3, 2, 1, 0]) {
      const start = FIRST + number * HOUR
      const attributes = { 'input.value': number % 2 === 0 ? 'ok qz' : 'ok', 'user.id': `u${number}`, release: 'r1' }
      await sendSpans(client, [{ traceId: traceIdOf(number), spanId: spanIdOf(1), start, end: start + 1, attributes }])
    }
    await app().storage.transaction((tx) =>
      sql`update traces set span_count = ${SPANS_EACH} where workspace_id = ${workspace.workspaceId}`.execute(tx),
    )
  })

  const rowsOf = async (parameters: Record<string, string>) => {
    const { status, body } = await client.get(`/traces?${new URLSearchParams({ include: '', ...parameters })}`)
    expect(status).toBe(200)
    const { data, total, totalIsExact, searchedSince } = body
    const found = Array.isArray(data) ? data.map(({ traceId }) => traceId) : []
    return { found, total, totalIsExact, searchedSince }
  }

  it.each(['qz', 'metadata.release:r1 qz', 'NOT xy qz', 'input:qz'])(
    'finds for %s the matches among the latest traces, and says since when',
    async (q) => {
      const limited = { found: [traceIdOf(4)], total: 1, totalIsExact: false, searchedSince: startOf(4) }
      expect(await rowsOf({ q })).toEqual(limited)
      const { body, headers } = await client.get(`/traces?q=${encodeURIComponent(q)}`)
      expect(body).toMatchObject({ total: 1, data: [{ traceId: traceIdOf(4) }] })
      expect(headers.get('x-searched-since')).toBe(startOf(4))
    },
  )

  it('reaches earlier traces by a time range, and is complete where the other conditions match few traces', async () => {
    const earlier = await rowsOf({ q: `qz start:<${startOf(4)}` })
    expect(earlier).toMatchObject({ found: [traceIdOf(2)], totalIsExact: false, searchedSince: startOf(2) })
    const last = await rowsOf({ q: 'qz', start_before: startOf(2) })
    expect(last).toEqual({ found: [traceIdOf(0)], total: 1, totalIsExact: true, searchedSince: null })
    expect(await rowsOf({ q: 'qz user:u0' })).toMatchObject({ found: [traceIdOf(0)], searchedSince: null })
  })

  it('limits values and series to the same traces', async () => {
    const { body: values } = await client.get('/traces/facets?field=user&q=qz')
    expect(values).toEqual({ data: [{ value: 'u4', count: 1, isExact: false }], isComplete: false })
    const range = new URLSearchParams({ from: startOf(0), to: startOf(6), bucket: '1h', q: 'qz' })
    const { body: series } = await client.get(`/traces/series?${range}`)
    expect(series).toMatchObject({ completeFrom: startOf(4), series: [{ buckets: [{ count: 1 }, { count: 0 }] }] })
  })

  it('deletes, adds and exports nothing if it cannot find all matches', async () => {
    const deleted = await client.post('/traces/bulk-delete', { q: 'qz', expectedCount: 1 })
    expect([deleted.status, deleted.body.error]).toEqual([409, expect.stringContaining('nothing was deleted')])
    const exported = await client.get('/traces/export?q=qz')
    expect([exported.status, exported.body.error]).toEqual([409, expect.stringContaining('nothing was exported')])
    const component = `/components/${await client.create('/components', { name: 'C' })}`
    const dataset = `${component}/datasets/${await client.create(`${component}/datasets`, { name: 'D' })}`
    const add = (body: object) => client.post(`${dataset}/items/from-query`, body)
    const { status, body } = await add({ q: 'qz' })
    expect([status, body.error]).toEqual([409, expect.stringContaining(`start:>=${startOf(4)}`)])
    expect((await add({ q: 'qz', limit: 1 })).body).toMatchObject({ added: 1 })
    expect((await add({ q: `qz start:>=${startOf(4)}` })).body).toMatchObject({ added: 0, skipped: 1 })
  })
})
