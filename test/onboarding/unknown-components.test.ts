import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { otlpRequest, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'

describeEachEngine('/unknown-components', (app) => {
  const sendTraces = (client: Client, numbers: number[], component: string, attributes = {}) =>
    client.post(
      '/v1/traces',
      otlpRequest(
        numbers.map((number) => ({
          traceId: traceIdOf(number),
          spanId: spanIdOf(number),
          name: `trace ${number}`,
          attributes: { 'touchstone.component': component, ...attributes },
        })),
      ),
    )
  const unknown = async (client: Client) => (await client.get('/unknown-components')).body.data
  const assign = (client: Client, name: string) => client.post('/unknown-components', { name })

  it('GET 200 lists the names that traces ask for, most frequent first, without those of components that exist', async () => {
    const { client } = await app().newWorkspace()
    expect(await unknown(client)).toEqual([])
    await client.post('/components', { name: 'Known' })
    await sendTraces(client, [1, 2], 'Known')
    await sendTraces(client, [3], 'Typo')
    await sendTraces(client, [4, 5], 'Greeter')
    await sendTraces(client, [6], 'greeter')
    expect(await unknown(client)).toEqual([
      { name: 'Greeter', traceCount: 3, componentId: null },
      { name: 'Typo', traceCount: 1, componentId: null },
    ])
    expect((await (await app().newWorkspace()).client.get('/unknown-components')).body).toEqual({ data: [] })
  })

  it('POST 200 creates the component once and assigns all traces that name it, also with another case', async () => {
    const { client } = await app().newWorkspace()
    await sendTraces(client, [1, 2], 'Greeter')
    await sendTraces(client, [3], 'greeter')
    await sendTraces(client, [4], 'Other')
    const { status, body } = await assign(client, 'Greeter')
    expect([status, body]).toEqual([200, { componentId: expect.any(String), assignedCount: 3, hasMore: false }])
    expect(await client.list(`/traces?component_id=${body.componentId}`)).toHaveLength(3)
    expect(await unknown(client)).toEqual([{ name: 'Other', traceCount: 1, componentId: null }])
    expect((await assign(client, 'Greeter')).body).toEqual({ ...body, assignedCount: 0 })
    const components = await client.list('/components')
    expect(components.map(({ name }) => name)).toEqual(['Greeter'])
    // The totals are kept by component.
    const { body: sums } = await client.get('/component-summaries?from=2026-11-14&to=2026-11-16')
    expect(sums.data).toMatchObject([{ name: 'Greeter', traces: { count: 3 } }])
  })

  it('POST 200 assigns to a component that was created in the meantime', async () => {
    const { client } = await app().newWorkspace()
    await sendTraces(client, [1], 'Greeter')
    const { id } = (await client.post('/components', { name: 'Greeter' })).body
    expect(await unknown(client)).toEqual([{ name: 'Greeter', traceCount: 1, componentId: id }])
    expect((await assign(client, 'Greeter')).body).toMatchObject({ componentId: id, assignedCount: 1 })
    expect(await unknown(client)).toEqual([])
  })

  it('the runs and datasets that the assigned traces name exist as if the component had existed', async () => {
    const { client } = await app().newWorkspace()
    await sendTraces(client, [1, 2], 'Greeter', { 'touchstone.dataset': 'questions', 'touchstone.run': 'v1' })
    const { componentId } = (await assign(client, 'Greeter')).body
    const [run] = await client.list(`/components/${componentId}/runs`)
    expect(run).toMatchObject({ name: 'v1', traceCount: 2 })
    const [dataset] = await client.list(`/components/${componentId}/datasets`)
    expect(dataset).toMatchObject({ name: 'questions' })
  })

  it('requests at the same time create one component, and assign each trace once', async () => {
    const { client } = await app().newWorkspace()
    const numbers = Array.from({ length: 120 }, (_, place) => 0x1000 + place)
    await sendTraces(client, numbers, 'Greeter')
    const responses = await Promise.all([assign(client, 'Greeter'), assign(client, 'Greeter')])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(responses.reduce((sum, { body }) => sum + Number(body.assignedCount), 0)).toBe(120)
    expect(await client.list('/components')).toHaveLength(1)
    expect(await unknown(client)).toEqual([])
  })

  it('a request assigns a limited number of traces, and the next one those that are left', {
    tags: 'deep',
  }, async () => {
    const { client } = await app().newWorkspace()
    const numbers = Array.from({ length: 1_001 }, (_, place) => 0x1000 + place)
    await sendTraces(client, numbers, 'Greeter')
    expect((await assign(client, 'Greeter')).body).toMatchObject({ assignedCount: 1_000, hasMore: true })
    expect((await assign(client, 'Greeter')).body).toMatchObject({ assignedCount: 1, hasMore: false })
  })

  it('a deleted trace waits no longer', async () => {
    const { client } = await app().newWorkspace()
    await sendTraces(client, [1, 2], 'Greeter')
    const [trace] = await client.list('/traces')
    expect((await client.send('DELETE', `/traces/${trace?.id}`)).status).toBe(204)
    expect(await unknown(client)).toMatchObject([{ name: 'Greeter', traceCount: 1 }])
    expect((await assign(client, 'Greeter')).body).toMatchObject({ assignedCount: 1 })
  })
})
