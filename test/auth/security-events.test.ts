import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSecurityEvents } from '../../src/auth/audit/security-events.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { movableClock, SECOND } from '../conformance/movable-clock.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

const { log, logged } = collectingLog('info')
const clock = movableClock()
const linesOf = (message: string): Record<string, unknown>[] =>
  logged.map((line) => Object(JSON.parse(line))).filter(({ msg }) => msg === message)

describeEachEngine(
  'sign-ins and denials',
  (app) => {
    const signIn = (email: string, password: string, requestId: string) =>
      app().anonymous.post('/api/auth/sign-in/email', { email, password }, { 'x-request-id': requestId })

    async function auditOf(workspaceId: string, action: string): Promise<Record<string, unknown>[]> {
      const admin = await app().newPerson([{ workspaceId, role: 'admin' }])
      return until(async () => {
        const rows = await app().asPerson(admin, workspaceId).list('/audit-log?limit=100')
        const found = rows.filter((row) => row.action === action && row.actorId !== admin.userId)
        expect(found.length).toBeGreaterThan(0)
        return found
      })
    }

    it('a sign-in is in the audit log of every workspace of the person, with address and request', async () => {
      const first = await app().newWorkspace()
      const second = await app().newWorkspace()
      const memberships = [first, second].map(({ workspaceId }) => ({ workspaceId, role: 'viewer' as const }))
      const { userId, email } = await app().newPerson(memberships)
      await signIn(email, PASSWORD, 'sign-in-1')
      for (const { workspaceId } of [first, second]) {
        const [row] = await auditOf(workspaceId, 'session.created')
        expect(row).toMatchObject({
          actorId: userId,
          actorKind: 'session',
          resourceId: userId,
          address: '127.0.0.1',
          count: 1,
        })
      }
      expect(linesOf('signed in').some((line) => line.userId === userId && line.requestId !== undefined)).toBe(true)
    })

    it('a wrong password is recorded for the account it was tried on, and many within a minute do not fill the log', async () => {
      const { workspaceId } = await app().newWorkspace()
      const { email, userId } = await app().newPerson([{ workspaceId, role: 'viewer' }])
      for (let attempt = 0; attempt < 6; attempt += 1) await signIn(email, 'not the password at all', 'guess-1')
      const rows = await auditOf(workspaceId, 'session.rejected')
      expect(rows).toHaveLength(1)
      expect(rows[0]).toMatchObject({
        actorId: '00000000-0000-0000-0000-000000000000',
        actorKind: 'anonymous',
        resourceId: userId,
        requestId: 'guess-1',
        address: '127.0.0.1',
      })
      expect(linesOf('sign-in failed').filter((line) => line.userId === userId)).toHaveLength(1)
      expect(logged.join('')).not.toContain(email)
    })

    it('an unknown account is in the log of the server without the typed name', async () => {
      await signIn('my-secret-password@example.com', 'x', 'guess-2')
      await until(() => expect(linesOf('sign-in failed').some((line) => line.userId === null)).toBe(true))
      expect(logged.join('')).not.toContain('my-secret-password')
    })

    it('a role that is too low is in the audit log, with user, action and resource', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'viewer' }])
      const viewer = app().asPerson(person, workspaceId)
      for (let attempt = 0; attempt < 5; attempt += 1) await viewer.get('/audit-log', { 'x-request-id': 'denied-1' })
      const rows = await auditOf(workspaceId, 'access.denied')
      expect(rows).toHaveLength(1)
      expect(rows[0]).toMatchObject({
        actorId: person.userId,
        actorKind: 'session',
        resourceId: 'GET /audit-log',
        requestId: 'denied-1',
        address: '127.0.0.1',
      })
    })

    it.each([
      ['the API', '/components', 'GET'],
      ['OTLP', '/v1/traces', 'POST'],
    ])('a key that %s rejects is logged by its last four characters, once a minute', async (_, path, method) => {
      const ending = randomBytes(2).toString('hex')
      const secret = `tsk_${method}-not-a-key-that-we-know-${ending}`
      for (let attempt = 0; attempt < 5; attempt += 1) await app().withKey(secret).send(method, path)
      const ours = () => linesOf('API key rejected: unknown key').filter(({ endsWith }) => endsWith === ending)
      await until(() => expect(ours().length).toBeGreaterThan(0))
      expect(logged.join('')).not.toContain(secret.slice(0, 20))
      expect(ours().length).toBe(1)
      expect(ours()[0]).toMatchObject({ address: '127.0.0.1', count: 1, level: 40 })
    })

    it('an empty key is logged as such; a request without any is not', async () => {
      // The servers of both engines share the log.
      const empty = () => linesOf('API key rejected: unknown key').filter(({ endsWith }) => endsWith === '(empty)')
      const before = empty().length
      await app().anonymous.get('/components')
      await app().anonymous.get('/components', { authorization: 'Bearer ' })
      await until(() => expect(empty()).toHaveLength(before + 1))
    })

    it('a key that has expired is in the audit log of its workspace', async () => {
      const { workspaceId, owner } = await app().newWorkspace()
      const admin = await app().newPerson([{ workspaceId, role: 'admin' }])
      const expiresAt = new Date(app().clock.now() + 60 * SECOND).toISOString()
      const { body } = await app().asPerson(admin, workspaceId).post('/api-keys', { name: 'Short', expiresAt })
      clock.advance(61 * SECOND)
      expect((await app().withKey(String(body.key)).get('/components')).status).toBe(401)
      const [row] = await auditOf(workspaceId, 'api-key.rejected')
      expect(row).toMatchObject({ resourceId: body.id, actorKind: 'anonymous' })
      expect(row?.actorId).not.toBe(owner.userId)
    })

    it('events of the same minute are counted and recorded together at its end, for any number of causes', async () => {
      const { workspaceId } = await app().newWorkspace()
      const person = await app().newPerson([{ workspaceId, role: 'viewer' }])
      const own = collectingLog('info')
      const events = createSecurityEvents({ db: app().storage, newId: idGenerator(clock), log: own.log })
      const caller = {
        kind: 'session',
        credential: 'bearer',
        credentialId: 'a-session',
        userId: person.userId,
        workspaceId,
        role: 'viewer',
      } as const
      const origin = { address: '198.51.100.1', requestId: 'r' }
      for (let n = 0; n < 100; n += 1)
        events.report(
          { kind: 'denied', caller, target: 'GET /members', reason: 'no' },
          { ...origin, requestId: `r${n}` },
        )
      for (let n = 0; n < 5_000; n += 1) events.report({ kind: 'key-rejected', ending: `${n}` }, origin)
      await events.flush()
      const rows = await auditOf(workspaceId, 'access.denied')
      expect(rows.map(({ count, requestId }) => [count, requestId])).toEqual([
        [99, 'r99'],
        [1, 'r0'],
      ])
      expect(own.logged.length).toBeLessThan(600)
    })
  },
  { works: false, log, clock, sleep: async (ms) => clock.advance(ms) },
)
