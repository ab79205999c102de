// @module-tag sql
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

async function seedRun(app: TestApp) {
  const { client } = await app.newWorkspace()
  const component = `/components/${await client.create('/components', { name: 'Any' })}`
  const datasetId = await client.create(`${component}/datasets`, { name: 'Any' })
  const run = `${component}/runs/${await client.create(`${component}/runs`, { datasetId, name: 'v7' })}`
  const patch = (metadata: unknown) => client.send('PATCH', `${run}/metadata`, { body: { metadata } })
  return { client, component, run, patch, path: `${run}/metadata` }
}

describeEachEngine('the metadata of a run', (app) => {
  it('is empty at first; a change sets and removes the fields that it names and keeps the others', async () => {
    const { client, component, run, patch, path } = await seedRun(app())
    expect(await client.get(path)).toMatchObject({ status: 200, body: { metadata: {} } })
    const first = { prompt: 'v7', 'top-k': 5, isCached: true, commit: '9f2c1e0' }
    expect(await patch(first)).toMatchObject({ status: 200, body: { metadata: first } })
    const { body } = await patch({ 'top-k': 8, commit: null })
    expect(body).toEqual({ metadata: { prompt: 'v7', 'top-k': 8, isCached: true } })
    expect((await client.get(path)).body).toEqual(body)
    expect((await client.get(`${component}/run-summaries`)).body.data).toMatchObject([body])
    expect(Object.keys((await client.get(run)).body)).not.toContain('metadata')
  })

  it('keeps every field when several are set at the same moment', async () => {
    const { client, patch, path } = await seedRun(app())
    const names = Array.from({ length: 8 }, (_, number) => `field ${number}`)
    await Promise.all(names.map((name) => patch({ [name]: name })))
    expect((await client.get(path)).body).toEqual({ metadata: Object.fromEntries(names.map((name) => [name, name])) })
  })

  it.each([
    ['a list', [], 'metadata'],
    ['a nested value', { a: { b: 1 } }, 'metadata.a'],
    ['a text that is too long', { a: 'x'.repeat(2_001) }, 'metadata.a'],
    ['an empty name', { '': 1 }, 'metadata'],
    ['too many fields', Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, n])), 'metadata'],
  ])('rejects %s with 400 and changes nothing', async (_, metadata, named) => {
    const { client, patch, path } = await seedRun(app())
    const { status, body } = await patch(metadata)
    expect([status, Object.keys(body)]).toEqual([400, ['error']])
    expect(body.error).toContain(named)
    expect((await client.get(path)).body).toEqual({ metadata: {} })
  })

  it('rejects with 400 fields that exceed the limit together with the existing ones', async () => {
    const { patch } = await seedRun(app())
    const fields = (prefix: string) => Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${prefix}${n}`, n]))
    expect((await patch(fields('a'))).status).toBe(200)
    expect(await patch(fields('b'))).toMatchObject({
      status: 400,
      body: { error: 'A run has at most 50 fields of metadata' },
    })
  })

  it('is gone with the run', async () => {
    const { client, run, patch, path } = await seedRun(app())
    await client.delete(run)
    for (const { status, body } of [await client.get(path), await patch({ a: 1 })])
      expect([status, body]).toEqual([404, { error: 'Run not found' }])
  })
})
