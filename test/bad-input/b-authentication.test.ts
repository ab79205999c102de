/** Section B of the list of bad input: authentication. */
import { describe, expect, it } from 'vitest'
import { expectError, expectUnauthorized } from '../conformance/answer-forms.ts'
import { DAY, HOUR, movableClock, SECOND } from '../conformance/movable-clock.ts'
import { browserWith, personWith, stranger } from '../conformance/team.ts'
import type { Answer } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import { PASSWORD } from '../harness/test-app.ts'

describeEachEngine(
  'B. Authentication',
  (app) => {
    const withAuthorization = (value: string) => app().anonymous.get('/components', { authorization: value })
    const sendBytes = (line: Buffer) =>
      sendRaw(
        app().url,
        Buffer.concat([
          Buffer.from('GET /api/v1/components HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer '),
          line,
          Buffer.from('\r\n\r\n'),
        ]),
      )

    it('26: a broken Authorization is 401, and the scheme may be in any case', async () => {
      const { key } = await app().newWorkspace()
      const broken = ['Bearer', 'Bearer ', `Bearer  ${key} y`, `Basic ${key}`, key, `Bearer${key}`, `Bearer "${key}"`]
      for (const value of [
        ...broken,
        `Token ${key}`,
        `Bearer ${key},`,
        `Bearer ${key.toUpperCase()}`,
        'Bearer garbage',
      ])
        expectUnauthorized(await withAuthorization(value))
      for (const scheme of ['bearer', 'BEARER', 'Bearer'])
        expect((await withAuthorization(`${scheme} ${key}`)).status).toBe(200)
    })

    it('27: a key with escapes, an emoji or 10 KB is 401', async () => {
      const { key } = await app().newWorkspace()
      for (const text of [`${key}%00`, `${key}\\n`, `${key}\\u0000`, `${key}%0a`, 'x'.repeat(10_240), key.repeat(100)])
        expectUnauthorized(await withAuthorization(`Bearer ${text}`))
      expectUnauthorized(await sendBytes(Buffer.from(`${key}😀`)))
      expectUnauthorized(await sendBytes(Buffer.concat([Buffer.from(key), Buffer.from([0xff, 0xfe])])))
    })

    it('27: a NUL byte in a header is invalid HTTP: 400 before the key is checked', async () => {
      const { key } = await app().newWorkspace()
      expectError(await sendBytes(Buffer.from(`${key}\0`)), 400, 'Malformed HTTP request')
    })

    it.each(["'OR/**/1=1--", "' OR 1=1 --", '%', '*', '_', '"; drop table api_keys; --', '$ne', '../../etc/passwd'])(
      '28: the key %s is 401, and the good keys work on',
      async (text) => {
        const { client } = await app().newWorkspace()
        expectUnauthorized(await withAuthorization(`Bearer ${text}`))
        expect((await client.get('/components')).status).toBe(200)
      },
    )

    it('29: the right prefix with a wrong secret is 401 like an unknown one', async () => {
      const { key } = await app().newWorkspace()
      const wrong = `${key.slice(0, 20)}${key.charAt(20) === 'A' ? 'B' : 'A'}${key.slice(21)}`
      for (const text of [wrong, key.slice(0, -1), key.slice(0, 12), key.slice(1)])
        expectUnauthorized(await withAuthorization(`Bearer ${text}`))
    })

    it('31: a key in the query or in another header is 401', async () => {
      const { key } = await app().newWorkspace()
      for (const name of ['api_key', 'apiKey', 'key', 'access_token', 'token', 'authorization'])
        expectUnauthorized(await app().anonymous.get(`/components?${name}=${key}`))
      for (const name of ['x-api-key', 'api-key', 'proxy-authorization', 'x-authorization'])
        expectUnauthorized(await app().anonymous.get('/components', { [name]: `Bearer ${key}` }))
    })

    it('32: two Authorization headers are 401, also if one or both of them are good', async () => {
      const { key } = await app().newWorkspace()
      const good = `Authorization: Bearer ${key}`
      for (const pair of [
        [good, good],
        [good, 'Authorization: Bearer wrong'],
        ['authorization: Bearer wrong', good],
      ]) {
        expectUnauthorized(await sendRaw(app().url, rawRequest('GET /api/v1/components', ['Host: localhost', ...pair])))
      }
    })

    it('39: a tampered cookie is 401', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'editor')
      const [name = '', value = ''] = person.cookie.split(/=(.*)/s)
      expect((await app().asPerson(person, workspaceId).get('/components')).status).toBe(200)
      const other = value.charAt(3) === 'a' ? 'b' : 'a'
      const tampered = [
        `${value.slice(0, 3)}${other}${value.slice(4)}`,
        value.slice(0, -1),
        person.token,
        `${person.token}.`,
        decodeURIComponent(value).split('.').reverse().join('.'),
        '%E0%A4%A',
        '',
      ]
      for (const text of tampered) {
        const cookie = `${name}=${text}`
        expectUnauthorized(
          await app()
            .asPerson({ ...person, cookie }, workspaceId)
            .get('/components'),
        )
      }
    })

    it('39: a cookie that has signed out is 401', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'editor' }])
      const browser = app().asPerson(person, workspaceId)
      expect((await browser.send('POST', '/api/auth/sign-out')).status).toBe(200)
      expectUnauthorized(await browser.get('/components'))
    })

    it('40: a write with a cookie from another site is 403 and does nothing', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const person = await personWith(app(), workspaceId, 'editor')
      const id = await client.create('/components', { name: 'kept' })
      const browser = app().asPerson(person, workspaceId)
      const foreign: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { origin: 'https://evil.test' },
        { origin: 'null' },
        { origin: `${app().url}.evil.test` },
        { origin: '' },
      ]
      for (const headers of foreign) {
        expectError(await browser.post('/components', { name: 'forged' }, headers), 403)
        expectError(await browser.send('DELETE', `/components/${id}`, { headers }), 403)
      }
      expect((await client.list('/components')).map(({ name }) => name)).toEqual(['kept'])
      expect((await browser.post('/components', { name: 'own' }, { 'sec-fetch-site': 'same-origin' })).status).toBe(201)
    })

    it('a page of another site cannot sign in a user, and a program without an Origin can', async () => {
      const { email } = await stranger(app())
      const signIn = (headers: Record<string, string>) =>
        app().anonymous.post('/api/auth/sign-in/email', { email, password: PASSWORD }, headers)
      const foreign: Record<string, string>[] = [
        { 'sec-fetch-site': 'cross-site', origin: app().url },
        { origin: 'https://evil.test' },
        { origin: 'null' },
        { origin: `${app().url}.evil.test` },
      ]
      for (const headers of foreign) expectError(await signIn(headers), 403)
      for (const headers of [{}, { origin: app().url }]) expect((await signIn(headers)).status).toBe(200)
    })

    it('42: signing in with an unknown e-mail is 401 with the same message as a wrong password', async () => {
      const person = await stranger(app())
      const signIn = (email: string) =>
        app().anonymous.post('/api/auth/sign-in/email', { email, password: 'not the password at all' })
      const wrong = await signIn(person.email)
      expectError(wrong, 401)
      const unknown = await signIn('nobody@example.com')
      expectError(unknown, 401)
      expect(unknown.text).toBe(wrong.text)
    })
  },
  { works: false },
)

describe('B. with time', () => {
  const clock = movableClock()
  describeEachEngine(
    'a server whose time passes',
    (app) => {
      const signIn = (email: string, password: string, headers: Record<string, string> = {}) =>
        app().anonymous.post('/api/auth/sign-in/email', { email, password }, headers)

      it('30: an expired key is 401 in the same words', async () => {
        const { workspaceId } = await app().newWorkspace()
        const admin = await browserWith(app(), workspaceId, 'admin')
        const expiresAt = new Date(clock.now() + 60 * SECOND).toISOString()
        const { body } = await admin.post('/api-keys', { name: 'a', expiresAt })
        clock.advance(61 * SECOND)
        expectUnauthorized(await app().withKey(String(body.key)).get('/components'))
      })

      it('41: wrong passwords lead to 429 with Retry-After, and the right one works after the wait', async () => {
        const { email } = await app().newPerson()
        const answers: Answer[] = []
        for (let attempt = 0; attempt < 20; attempt += 1) answers.push(await signIn(email, 'not the password at all'))
        const statuses = answers.map(({ status }) => status)
        expect(statuses[0]).toBe(401)
        const last = answers.at(-1) ?? (await signIn(email, 'not the password at all'))
        expectError(last, 429)
        const seconds = Number(last.headers.get('retry-after'))
        expect(seconds).toBeGreaterThan(0)
        clock.advance(seconds * SECOND)
        expect((await signIn(email, PASSWORD)).status).toBe(200)
      })

      it('24, 41: a forged X-Forwarded-For does not escape the limits of an address', async () => {
        const { email } = await app().newPerson()
        const statuses: number[] = []
        for (let attempt = 0; attempt < 5; attempt += 1) {
          const address = `203.0.113.${attempt}`
          const forged = { 'x-forwarded-for': address, forwarded: `for=${address}`, 'x-real-ip': address }
          statuses.push((await signIn(email, 'not the password at all', forged)).status)
        }
        expect(statuses).toEqual([401, 401, 401, 429, 429])
      })

      it('39: a session that was not used for half a day, or began two weeks ago, is 401', async () => {
        const { workspaceId } = await app().newWorkspace()
        const idle = await app().newPerson([{ workspaceId, role: 'viewer' }])
        const browser = app().asPerson(idle, workspaceId)
        expect((await browser.get('/components')).status).toBe(200)
        clock.advance(13 * HOUR)
        expectUnauthorized(await browser.get('/components'))
        clock.advance(15 * DAY)
        expectUnauthorized(await browser.get('/components'))
      })
    },
    { works: false, clock, sleep: async (ms) => clock.advance(ms) },
  )
})
