import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashContent } from '../../src/datasets/items/input-hash.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { type SeededWorkspace, startTestApp, type TestApp } from '../harness/test-app.ts'

describeEngines('remap', (engine) => {
  let database: TestDatabase
  let app: TestApp
  beforeEach(async () => {
    database = await createTestDatabase(engine, 'migrated')
    app = await startTestApp(database.url, { works: false })
  })
  afterEach(async () => {
    await app.close()
    database.remove()
  })

  const remap = (...options: string[]) => runInProcess(['remap', ...options], { DATABASE_URL: database.url })

  /** A trace whose kind an older mapping did not know. */
  async function storeOld({ client, workspaceId }: SeededWorkspace): Promise<void> {
    const attributes = { 'gen_ai.operation.name': 'chat' }
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), attributes }])
    await app.storage.transaction(async (tx) => {
      await tx.updateTable('spans').set({ kind: 'span' }).where('workspace_id', '=', workspaceId).execute()
      await tx.updateTable('traces').set({ mapping_version: 0 }).where('workspace_id', '=', workspaceId).execute()
    })
  }

  async function kindIn({ client }: SeededWorkspace): Promise<unknown> {
    const { spans } = (await client.get(`/traces/${traceIdOf(1)}`)).body
    return Array.isArray(spans) ? spans[0].kind : undefined
  }

  it('maps the traces of one application, or of all, while the server runs, and does nothing the second time', async () => {
    const [first, second] = [await app.newWorkspace(), await app.newWorkspace()]
    await storeOld(first)
    await storeOld(second)
    expect([await kindIn(first), await kindIn(second)]).toEqual(['span', 'span'])
    expect(await remap('--workspace', first.workspaceId)).toMatchObject({
      code: 0,
      output: `AI application ${first.workspaceId}: 1 of 1 traces\n1 trace was mapped again.\n0 dataset items were updated.\n`,
    })
    expect([await kindIn(first), await kindIn(second)]).toEqual(['llm', 'span'])
    expect(await remap()).toMatchObject({
      code: 0,
      output: `AI application ${second.workspaceId}: 1 of 1 traces\n1 trace was mapped again.\n0 dataset items were updated.\n`,
    })
    expect([await kindIn(first), await kindIn(second)]).toEqual(['llm', 'llm'])
    expect(await remap()).toMatchObject({
      code: 0,
      output: '0 traces were mapped again.\n0 dataset items were updated.\n',
    })
  })

  it('recognizes the questions of items again that were stored when their messages counted as text', async () => {
    const { client, workspaceId } = await app.newWorkspace()
    const component = await client.create('/components', { name: 'C' })
    const dataset = await client.create(`/components/${component}/datasets`, { name: 'D' })
    const messages = [1, 2].map((number) => JSON.stringify([{ role: 'user', content: `Question ${number}` }]))
    const items = [...messages, 'text'].map((input) => ({ input }))
    const added = await client.post(`/components/${component}/datasets/${dataset}/items`, items)
    expect(added.status).toBe(201)
    const hashes = async () => {
      const query = app.storage.read.selectFrom('dataset_items').select(['id', 'input', 'input_hash'])
      return query.where('workspace_id', '=', workspaceId).orderBy('id').execute()
    }
    const stored = await hashes()
    await app.storage.transaction(async (tx) => {
      for (const { id, input } of stored) {
        const input_hash = hashContent(input ?? '')
        await tx.updateTable('dataset_items').set({ input_hash }).where('id', '=', id).execute()
      }
    })
    expect(await hashes()).not.toEqual(stored)
    expect(await remap()).toMatchObject({
      code: 0,
      output: `0 traces were mapped again.\nAI application ${workspaceId}: 3 of 3 dataset items\n2 dataset items were updated.\n`,
    })
    expect(await hashes()).toEqual(stored)
    expect(await remap()).toMatchObject({ output: expect.stringContaining('0 dataset items were updated.') })
  })

  it('reports invalid arguments', async () => {
    expect(await remap('all')).toMatchObject({ code: 1 })
    expect(await remap('--workspace', 'x')).toMatchObject({
      code: 1,
      errors: '--workspace must be a UUID\n',
    })
  })
})
