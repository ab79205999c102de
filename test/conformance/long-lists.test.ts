// @module-tag sql
/** Lists that are too long to be counted with every page, and durations as clients of the original service read them. */
import { expect, it } from 'vitest'
import { createdAtOf, idGenerator } from '../../src/base/ids.ts'
import { insertNewRows } from '../../src/storage/insert-rows.ts'
import { RESOURCES_COUNTED_MAX } from '../../src/storage/paged-list.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

describeEachEngine('lists', (app) => {
  it('are counted exactly up to a length, and have a next page beyond it all the same', async () => {
    const { client, workspaceId } = await app().newWorkspace()
    const { storage, clock } = app()
    const newId = idGenerator(clock)
    const rows = Array.from({ length: RESOURCES_COUNTED_MAX }, () => {
      const id = newId()
      return [workspaceId, id, 'c', createdAtOf(id), createdAtOf(id)]
    })
    const columns = ['workspace_id', 'id', 'name', 'created_at', 'updated_at'] as const
    await storage.transaction((tx) => insertNewRows(tx, { table: 'components', columns, rows }, ['id']))
    const counted = await client.get('/components?offset=100')
    expect(counted.headers.get('x-total-count')).toBe(String(RESOURCES_COUNTED_MAX))
    await client.create('/components', { name: 'One more' })
    const { status, headers } = await client.get('/components?offset=100')
    expect([status, headers.get('x-total-count')]).toEqual([200, null])
    expect(headers.get('link')).toContain('</api/v1/components?limit=50&offset=150>; rel="next"')
    const last = await client.get(`/components?offset=${RESOURCES_COUNTED_MAX}`)
    expect([last.headers.get('x-total-count'), last.headers.get('link')]).toEqual([
      String(RESOURCES_COUNTED_MAX + 1),
      `</api/v1/components?limit=50&offset=${RESOURCES_COUNTED_MAX - 50}>; rel="prev", </api/v1/components?limit=50&offset=0>; rel="first"`,
    ])
  })

  it('of another workspace and of a missing resource have the same headers', async () => {
    const [owner, other] = [await app().newWorkspace(), await app().newWorkspace()]
    const componentId = await owner.client.create('/components', { name: 'Mine' })
    for (let number = 0; number < 3; number += 1)
      await owner.client.create(`/components/${componentId}/datasets`, { name: `${number}` })
    const headersOf = async (id: string) => {
      const { headers } = await other.client.get(`/components/${id}/datasets?limit=2`)
      return [headers.get('x-total-count'), headers.get('link')]
    }
    expect(await headersOf(componentId)).toEqual(['0', null])
    expect(await headersOf('01890a5d-ac96-774b-bcce-b302099a8057')).toEqual(['0', null])
  })
})

describeEachEngine('the duration of a trace', (app) => {
  it('is in whole milliseconds, and that of a span has its fraction', async () => {
    const { client } = await app().newWorkspace()
    const request = otlpRequest([{ traceId: traceIdOf(1), spanId: spanIdOf(1), start: 1_763_184_000_000 }])
    const text = JSON.stringify(request).replace('"1763184000100000000"', '"1763184000012600000"')
    expect((await client.post('/v1/traces', JSON.parse(text))).text).toBe('{}')
    const { body } = await client.get(`/traces/${traceIdOf(1)}`)
    expect(body).toMatchObject({ durationMs: 13, spans: [{ durationMs: 12.6 }] })
    expect(await client.list('/traces')).toMatchObject([{ durationMs: 13 }])
  })
})
