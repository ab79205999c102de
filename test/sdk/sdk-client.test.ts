import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import {
  AuthenticationError,
  NotFoundError,
  type Run,
  Touchstone,
  ValidationError,
} from '../../packages/sdk/src/sdk.ts'
import { SDK_VERSION } from '../../packages/sdk/src/sdk-version.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

async function connect(app: TestApp) {
  const { key } = await app.newWorkspace()
  const client = new Touchstone({ apiKey: key, baseUrl: app.url })
  const component = (await client.components.create({ name: 'Greeter' })).id
  return { client, component, key }
}

describeEachEngine('the client of the SDK', (app) => {
  it('creates, gets, changes, lists and deletes components', async () => {
    const { client, component } = await connect(app())
    expect(await client.components.get(component)).toMatchObject({ name: 'Greeter' })
    expect(await client.components.update(component, { name: 'Host' })).toMatchObject({ name: 'Host' })
    expect((await client.components.list().toArray()).map(({ id }) => id)).toEqual([component])
    await client.components.delete(component)
    await expect(client.components.get(component)).rejects.toThrow(NotFoundError)
  })

  it('runs the chain from a dataset to a comparison', async () => {
    const { client, component } = await connect(app())
    const dataset = await client.datasets.create(component, { name: 'Questions' })
    const items = await client.datasets.items.create(component, dataset.id, [
      { input: 'one', expected: '1' },
      { input: 'two', expected: '2' },
    ])
    expect(items).toHaveLength(2)
    const runs: Run[] = []
    for (const name of ['v1', 'v2']) {
      const traceIds: string[] = []
      for (const item of items) {
        const sent = await client.traces.create(component, { name, input: item.input, output: '1', itemId: item.id })
        traceIds.push(sent.traceId)
      }
      runs.push(await client.runs.create(component, { datasetId: dataset.id, name, traceIds }))
    }
    const [before, after] = runs
    const config = { evaluators: [{ type: 'exactMatch' }] }
    const estimate = await client.evaluations.estimate(component, { datasetId: dataset.id, config })
    expect(estimate.cases).toBe(2)
    for (const run of runs) {
      const { id } = await client.evaluations.create(component, { datasetId: dataset.id, runId: run.id, config })
      const events: string[] = []
      const path = '/components/{componentId}/evaluations/{evaluationId}/events'
      for await (const { event } of client.events(path, { params: { componentId: component, evaluationId: id } })) {
        events.push(event)
      }
      expect(events.at(-1)).toBe('end')
      expect(await client.evaluations.get(component, id)).toMatchObject({ status: 'completed' })
      expect(await client.evaluations.scores(component, id).toArray()).toHaveLength(2)
    }
    const comparison = await client.comparisons.get(component, {
      baseline: String(before?.id),
      candidate: String(after?.id),
    })
    expect(comparison).toMatchObject({ pairs: 2, verdict: 'tooFewCases' })
    expect(await client.runs.cases(component, String(after?.id)).toArray()).toHaveLength(2)
    const trace = (await client.runs.traces(component, String(after?.id)).toArray())[0]
    const body = { traceDbId: String(trace?.id), rating: 'up' }
    await client.annotations.create(component, String(after?.id), body)
    expect(await client.annotations.list(component, String(after?.id)).toArray()).toMatchObject([{ rating: 'up' }])
  })

  it('returns every entry of a list once, over offsets and cursors, also while new ones arrive', async () => {
    const { client, component } = await connect(app())
    for (let n = 0; n < 5; n++) {
      await client.datasets.create(component, { name: `set ${n}` })
      await client.traces.create(component, { name: `trace ${n}` })
    }
    const names: string[] = []
    for await (const { name } of client.datasets.list(component, { limit: 2 })) {
      names.push(name)
      if (names.length === 2) await client.datasets.create(component, { name: 'created meanwhile' })
    }
    expect(names).toEqual(['set 4', 'set 3', 'set 2', 'set 1', 'set 0'])
    const traces = await client.traces.list({ component_id: component, limit: 2 }).toArray()
    expect(traces.map(({ name }) => name)).toEqual([4, 3, 2, 1, 0].map((n) => `trace ${n}`))
    expect(await client.traces.list({ limit: 2 }).toArray({ max: 3 })).toHaveLength(3)
  })

  it('gives pages with the total and the next page', async () => {
    const { client, component } = await connect(app())
    for (let n = 0; n < 3; n++) await client.datasets.create(component, { name: `set ${n}` })
    const first = await client.datasets.list(component, { limit: 2 }).page()
    expect(first).toMatchObject({ total: 3, data: [{ name: 'set 2' }, { name: 'set 1' }] })
    const second = await first.next?.()
    expect(second?.data).toMatchObject([{ name: 'set 0' }])
    expect(second?.next).toBeUndefined()
  })

  it('does the work of a POST once, also if its first response is lost', async () => {
    const { key } = await app().newWorkspace()
    let calls = 0
    const loseFirst: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (calls++ === 0) throw new TypeError('fetch failed')
      return response
    }
    const client = new Touchstone({ apiKey: key, baseUrl: app().url, fetch: loseFirst })
    const { id } = await client.components.create({ name: 'Once' })
    expect(calls).toBe(2)
    expect((await client.components.list().toArray()).map((one) => one.id)).toEqual([id])
  })

  it('imports and exports files', async () => {
    const { client, component } = await connect(app())
    const { id } = await client.datasets.create(component, { name: 'File' })
    const csv = { content: 'input,expected\nhello,world\n', type: 'text/csv' as const }
    expect(await client.datasets.import(component, id, csv)).toMatchObject({ imported: 1 })
    expect(await client.datasets.export(component, id)).toContain('"hello"')
    expect(await client.datasets.export(component, id, { format: 'csv' })).toContain('"hello",,"world"')
  })

  it('sends any request of the description, and reports errors with the id of the request', async () => {
    const { client, component } = await connect(app())
    const path = '/components/{componentId}/runs'
    expect(await client.request('GET', path, { params: { componentId: component } })).toEqual({ data: [] })
    const error = await client.request('GET', '/traces', { query: { limit: 0 } }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({
      status: 400,
      requestId: expect.any(String),
      message: expect.stringContaining('limit'),
    })
    const stranger = new Touchstone({ apiKey: 'tsk_unknown', baseUrl: app().url })
    await expect(stranger.components.list().page()).rejects.toThrow(AuthenticationError)
  })

  it('aborts a stream of events when the caller does', async () => {
    const { client } = await connect(app())
    const controller = new AbortController()
    const reason = new Error('enough')
    const read = async () => {
      for await (const { event } of client.events('/events', {
        query: { topics: 'traces' },
        signal: controller.signal,
      })) {
        if (event === 'ready') controller.abort(reason)
      }
    }
    await expect(read()).rejects.toBe(reason)
  })
})

it('the SDK sends the version of its package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../packages/sdk/package.json', import.meta.url), 'utf8'))
  expect(SDK_VERSION).toBe(manifest.version)
})
