/** Section F of the list of bad input: components. */
import { expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

describeEachEngine(
  'F. Components',
  (app) => {
    it.each([
      ['85', {}],
      ['85', { name: '' }],
      ['86', { name: 42 }],
      ['86', { name: true }],
      ['86', { name: ['a'] }],
      ['86', { name: null }],
      ['86', { name: {} }],
      ['88', { name: 'x'.repeat(501) }],
      ['88', { name: '😀'.repeat(501) }],
    ])('%s: the body %j is 400, names the name and stores nothing', async (_, body) => {
      const { client } = await app().newWorkspace()
      expectError(await client.post('/components', body), 400, /name/)
      expect(await client.list('/components')).toEqual([])
    })

    it.each([5, true, [], {}, ['a'], 'x'.repeat(20_001)])(
      '89: the description %j is 400 and is named',
      async (description) => {
        const { client } = await app().newWorkspace()
        expectError(await client.post('/components', { name: 'a', description }), 400, /description/)
        expect(await client.list('/components')).toEqual([])
      },
    )

    it('89: a description of 20,000 characters, null or absent is 201', async () => {
      const { client } = await app().newWorkspace()
      const long = '😀'.repeat(20_000)
      for (const body of [{ name: 'a', description: long }, { name: 'a', description: null }, { name: 'a' }])
        expect((await client.post('/components', body)).status).toBe(201)
      expect((await client.list('/components')).map(({ description }) => description)).toEqual([null, null, long])
    })

    it.each([
      ['87: a blank', ' '],
      ['87: a zero-width space', '\u200b'],
      ['88: 500 emoji', '😀'.repeat(500)],
      ['88: 500 letters', 'x'.repeat(500)],
      ['91: HTML', '<img src=x onerror=alert(1)>'],
      ['92: a formula', '=HYPERLINK("http://x")'],
      ['92: a sum', '+1'],
      ['92: a difference', '-1'],
      ['92: a function', '@SUM(A1)'],
      ['92: a tab first', '\tx'],
      ['92: a CR first', '\rx'],
      ['93: CRLF', 'a\r\nSet-Cookie: evil=1\r\n\r\nb'],
      ['SQL', "'; drop table components; --"],
    ])('%s is a name like any other, stored byte for byte', async (_, name) => {
      const { client } = await app().newWorkspace()
      const created = await client.post('/components', { name, description: name })
      expect(created.status).toBe(201)
      const { body, headers } = await client.get(`/components/${created.body.id}`)
      expect(body).toMatchObject({ name, description: name })
      expect(headers.get('set-cookie')).toBeNull()
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    })

    it('90: fields that are ours to set are 400, and nothing lands in another workspace', async () => {
      const { client } = await app().newWorkspace()
      const other = await app().newWorkspace()
      const extras = [
        { id: ABSENT_ID, workspaceId: other.workspaceId },
        { workspaceId: other.workspaceId },
        { createdAt: '2020-01-01T00:00:00.000Z' },
        { workspace_id: other.workspaceId },
        { deleted_at: null },
      ]
      for (const extra of extras) expectError(await client.post('/components', { name: 'a', ...extra }), 400)
      expect(await client.list('/components')).toEqual([])
      expect(await other.client.list('/components')).toEqual([])
    })
  },
  { works: false },
)
