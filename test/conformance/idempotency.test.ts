// @module-tag sql
import { describe, expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { ABSENT_ID, expectError } from './answer-forms.ts'
import { DAY, HOUR, movableClock } from './movable-clock.ts'
import { type Chain, type Operation, POSTS, pathOf, perform, seedChain, titled } from './operations.ts'
import { browserWith } from './team.ts'

const clock = movableClock()
let keys = 0
function newKey(): Record<string, string> {
  keys += 1
  return { 'idempotency-key': `key ${keys}` }
}

/** How many there are of what the operation makes. */
async function countMade(client: Client, operation: Operation, ids: Chain): Promise<number> {
  return (await client.list(pathOf(operation, ids))).length
}

describeEachEngine(
  'Idempotency-Key',
  (app) => {
    describe.each(titled(POSTS))('$title', ({ operation }) => {
      it('the same key with the same body returns the same response, and the work is done once', async () => {
        const { client } = await app().newWorkspace()
        const ids = await seedChain(client)
        const before = await countMade(client, operation, ids)
        const key = newKey()
        const first = await perform(client, operation, ids, key)
        const second = await perform(client, operation, ids, key)
        expect(first.status).toBe(operation.status)
        expect({ status: second.status, text: second.text }).toEqual({ status: first.status, text: first.text })
        expect(await countMade(client, operation, ids)).toBe(before + 1)
      })

      it('the same key with another body is 422 and does nothing', async () => {
        const { client } = await app().newWorkspace()
        const ids = await seedChain(client)
        const key = newKey()
        const first = await perform(client, operation, ids, key)
        const count = await countMade(client, operation, ids)
        const field = operation.template.endsWith('annotations') ? 'comment' : 'name'
        const other = { ...operation, body: () => ({ ...operation.body?.(ids), [field]: 'changed' }) }
        expectError(await perform(client, other, ids, key), 422)
        expect(await countMade(client, operation, ids)).toBe(count)
        expect((await perform(client, operation, ids, key)).text).toBe(first.text)
      })
    })

    it('a request without a body may have one as well', async () => {
      const { client } = await app().newWorkspace()
      const component = await client.create('/components', { name: 'Judged' })
      const datasetId = await client.create(`/components/${component}/datasets`, { name: 'Empty' })
      const at = `/components/${component}/evaluations`
      const path = `${at}/${await client.create(at, { datasetId })}/cancel`
      const send = () => client.send('POST', path, { headers: { 'idempotency-key': 'stop' } })
      const first = await send()
      expect([202, 409]).toContain(first.status)
      if (first.status === 202) expect((await send()).body).toEqual(first.body)
    })

    it('a key is the caller’s own: another key, person, path or workspace may use the same text', async () => {
      const mine = await app().newWorkspace()
      const other = await app().newWorkspace()
      const key = newKey()
      const browser = await browserWith(app(), mine.workspaceId, 'editor')
      const first = await mine.client.post('/components', { name: 'a' }, key)
      const others = [
        await other.client.post('/components', { name: 'b' }, key),
        await browser.post('/components', { name: 'c' }, key),
        await mine.client.post(`/components/${first.body.id}/datasets`, { name: 'd' }, key),
      ]
      expect(others.map(({ status }) => status)).toEqual([201, 201, 201])
    })

    it('another spelling of the same path is the same request', async () => {
      const { client } = await app().newWorkspace()
      const { component } = await seedChain(client)
      const key = newKey()
      const first = await client.post(`/components/${component}/datasets`, { name: 'a' }, key)
      const second = await client.post(`/components/${component.toUpperCase()}/datasets?x=1`, { name: 'a' }, key)
      expect(second.text).toBe(first.text)
    })

    it('a rejected request does not use up the key', async () => {
      const { client } = await app().newWorkspace()
      const key = newKey()
      expectError(await client.post('/components', { name: '' }, key), 400)
      expectError(await client.post(`/components/${ABSENT_ID}/datasets`, { name: 'a' }, key), 404)
      expect((await client.post('/components', { name: 'a' }, key)).status).toBe(201)
    })

    it('the same key while the first request is still running is 409', async () => {
      const { client, workspaceId } = await app().newWorkspace()
      const { component } = await seedChain(client)
      const path = `/components/${component}/datasets`
      const key = newKey()
      const release = Promise.withResolvers<void>()
      const isHeld = Promise.withResolvers<void>()
      // While the component's row is being changed, a request that adds a dataset to it has to wait.
      const holding = app().storage.transaction(async (tx) => {
        await tx
          .updateTable('components')
          .set({ name: 'held' })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', component)
          .execute()
        isHeld.resolve()
        await release.promise
      })
      await isHeld.promise
      const both = [client.post(path, { name: 'once' }, key), client.post(path, { name: 'once' }, key)]
      const rejected = await Promise.race(both)
      release.resolve()
      await holding
      expectError(rejected, 409)
      const statuses = (await Promise.all(both)).map(({ status }) => status)
      expect(statuses.sort()).toEqual([201, 409])
      expect((await client.list(path)).filter(({ name }) => name === 'once')).toHaveLength(1)
      expect((await client.post(path, { name: 'once' }, key)).status).toBe(201)
      expect((await client.list(path)).filter(({ name }) => name === 'once')).toHaveLength(1)
    })

    it('twenty concurrent requests with the same key create one component, and the others get it or 409', async () => {
      const { client } = await app().newWorkspace()
      const key = newKey()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.post('/components', { name: 'once' }, key)),
      )
      const listed = await client.list('/components')
      expect(listed).toHaveLength(1)
      const successful = answers.filter(({ status }) => status !== 409)
      expect(successful.length).toBeGreaterThan(0)
      for (const { status, body } of successful)
        expect({ status, body }).toEqual({ status: 201, body: { id: listed[0]?.id } })
    })

    it.each(['', 'x'.repeat(256)])('400 for a key that is empty or too long', async (text) => {
      const { client } = await app().newWorkspace()
      expectError(await client.post('/components', { name: 'a' }, { 'idempotency-key': text }), 400, /Idempotency-Key/)
      expect(await client.list('/components')).toEqual([])
    })

    it('400 if the response has a secret, which may not be stored', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      expectError(await admin.post('/api-keys', { name: 'a' }, newKey()), 400, /Idempotency-Key/)
      const invited = { email: 'new@example.com', role: 'viewer' }
      expectError(await admin.post('/members', invited, newKey()), 400, /Idempotency-Key/)
      expect((await admin.list('/api-keys')).map(({ name }) => name)).toEqual(['Test key'])
      expect((await admin.list('/members')).filter(({ state }) => state === 'invited')).toEqual([])
    })

    it('POST /workspaces takes one too', async () => {
      const person = await app().newPerson()
      const browser = app().asPerson(person)
      const key = newKey()
      const first = await browser.post('/workspaces', { name: 'Once' }, key)
      expect((await browser.post('/workspaces', { name: 'Once' }, key)).text).toBe(first.text)
      expect(await browser.list('/workspaces')).toHaveLength(1)
      expectError(await browser.post('/workspaces', { name: 'Other' }, key), 422)
    })

    it('a key is stored for a day and then deleted', async () => {
      const { client } = await app().newWorkspace()
      const key = newKey()
      const first = await client.post('/components', { name: 'a' }, key)
      clock.advance(23 * HOUR)
      expect((await client.post('/components', { name: 'a' }, key)).text).toBe(first.text)
      clock.advance(DAY)
      const later = await client.post('/components', { name: 'a' }, key)
      expect(later.status).toBe(201)
      expect(later.body.id).not.toBe(first.body.id)
    })
  },
  { works: false, clock },
)
