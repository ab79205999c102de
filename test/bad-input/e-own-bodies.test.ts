/** Section E of the list of bad input, on the POSTs that are not of the specification. */
import { describe, expect, it } from 'vitest'
import { ABSENT_ID, expectError } from '../conformance/answer-forms.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const MIB = 1_048_576

const POSTS = [
  { path: '/workspaces', body: { name: 'a' } },
  { path: '/api-keys', body: { name: 'a' } },
  { path: '/members', body: { email: 'new@example.com', role: 'viewer' } },
  { path: '/prices', body: { modelPattern: 'm', inputPerMillion: 1.5, outputPerMillion: 1.5 } },
  { path: '/connections', body: { name: 'a', baseUrl: 'http://127.0.0.1:9', apiKey: 'k', concurrency: 4 } },
  { path: '/endpoints', body: { name: 'a', baseUrl: 'http://127.0.0.1:9', headers: { a: 'b' }, concurrency: 4 } },
  { path: '/traces/bulk-delete', body: { ids: ['a'] } },
  { path: '/traces/reprice', body: { startAfter: '2026-01-01T00:00:00Z' } },
  { path: '/components/{componentId}/traces', body: { name: 'a', traceId: 't', tags: ['a'], spans: [{ name: 'a' }] } },
  { path: '/setup', body: { token: 'x', name: 'a', email: 'a@example.com', password: 'x' } },
  { path: '/invitations/lookup', body: { token: 'x' } },
  { path: '/password-resets/lookup', body: { token: 'x' } },
  { path: '/password-resets', body: { token: 'x', password: 'x' } },
  { path: '/invitations/accept', body: { token: 'x' } },
  { path: '/invitations/sign-up', body: { token: 'x', name: 'a', password: 'x' } },
  { path: '/api/auth/sign-in/email', body: { email: 'a@example.com', password: 'x' } },
]

describeEachEngine(
  'E. Bodies of our own POSTs',
  (app) => {
    describe.each(POSTS)('POST $path', ({ path: template, body }) => {
      let path = template

      async function seed() {
        const { workspaceId, client } = await app().newWorkspace()
        if (template.includes('{componentId}'))
          path = template.replace('{componentId}', await client.create('/components', { name: 'a' }))
        return browserWith(app(), workspaceId, 'owner')
      }

      it('66, 67: anything but a JSON object is 400', async () => {
        const client = await seed()
        for (const text of ['{"name":', 'NaN', '[]', 'null', '"x"', '42', `${'['.repeat(1_000)}`])
          expectError(await client.post(path, text), 400)
      })

      it('68: an unknown field is 400 and is named', async () => {
        const client = await seed()
        expectError(await client.post(path, { ...body, surplus: 1 }), 400, /surplus/)
      })

      it('86: a field of another type is 400', async () => {
        const client = await seed()
        for (const [field, good] of Object.entries<unknown>(body))
          for (const value of [42, true, null, ['a'], {}].filter((wrong) => !isLike(wrong, good, field)))
            expectError(await client.post(path, { ...body, [field]: value }), 400)
      })

      it('69: another media type is 415', async () => {
        const client = await seed()
        for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx'])
          expectError(await client.post(path, JSON.stringify(body), { 'content-type': type }), 415)
      })

      it('72, 77, 80, 81: invalid UTF-8, __proto__, U+0000 and half a surrogate pair are 400', async () => {
        const client = await seed()
        const start = JSON.stringify(body).slice(0, -1)
        expectError(await client.post(path, Buffer.concat([Buffer.from(`${start},"x":"`), Buffer.from([0xff])])), 400)
        for (const part of ['"__proto__":{"x":1}', '"name":"\\u0000"', '"name":"\\ud800"'])
          expectError(await client.post(path, `${start},${part}}`), 400)
        expect(Object({}).x).toBeUndefined()
      })

      it('75: a body of more than a MiB is 413', async () => {
        const client = await seed()
        expectError(await client.post(path, ' '.repeat(MIB + 1)), 413)
      })
    })

    it('86, 88: PATCH of a workspace and of a member check their bodies too', async () => {
      const { workspaceId, client } = await app().newWorkspace('Kept')
      const owner = await browserWith(app(), workspaceId, 'owner')
      for (const body of [{ name: 5 }, { name: '' }, { name: null }, { name: 'x'.repeat(501) }, { description: 5 }])
        expectError(await owner.patch(`/workspaces/${workspaceId}`, body), 400)
      for (const body of [{}, { role: 'king' }, { role: null }, { role: 'viewer', id: ABSENT_ID }])
        expectError(await owner.patch(`/members/${ABSENT_ID}`, body), 400)
      expect((await client.get('/workspace')).body).toMatchObject({ name: 'Kept', description: null })
    })
  },
  { works: false },
)

/** What is of the type that the field has, or of one that it may have as well, is no mistake. */
function isLike(value: unknown, good: unknown, field: string): boolean {
  if (value === null) return field === 'startAfter'
  if (Array.isArray(value) || Array.isArray(good)) return Array.isArray(value) && ['tags', 'ids'].includes(field)
  return typeof value === typeof good
}
