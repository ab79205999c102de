import { expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { PASSWORD, type TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

const FORWARDED = { 'x-forwarded-for': '203.0.113.7, 198.51.100.9' }

/** The address that the audit log has for a deletion with these headers. */
async function auditedAddress(app: TestApp, headers: Record<string, string>): Promise<unknown> {
  const { workspaceId, client } = await app.newWorkspace()
  const component = await client.create('/components', { name: 'Gone' })
  await client.send('DELETE', `/components/${component}`, { headers })
  const log = await (await browserWith(app, workspaceId, 'admin')).list('/audit-log')
  return log.find(({ action }) => action === 'component.deleted')?.address
}

describeEachEngine(
  'behind a trusted proxy',
  (app) => {
    it('the audit log has the address of the client, not that of the proxy and not a forged one', async () => {
      expect(await auditedAddress(app(), FORWARDED)).toBe('198.51.100.9')
    })

    it('a wrong password counts for the address of the client, so that clients of the proxy do not share one limit', async () => {
      const { workspaceId } = await app().newWorkspace()
      const { email } = await app().newPerson([{ workspaceId, role: 'viewer' }])
      const sent = { body: { email, password: 'not the password at all' }, headers: FORWARDED }
      expect((await app().anonymous.send('POST', '/api/auth/sign-in/email', sent)).status).toBe(401)
      const counted = await app().storage.read.selectFrom('login_attempts').select('subject').execute()
      const addresses = counted.map(({ subject }) => subject).filter((subject) => subject.startsWith('address:'))
      expect(addresses).toEqual(['address:198.51.100.9'])
      const admin = await browserWith(app(), workspaceId, 'admin')
      const rejected = await until(async () => {
        const row = (await admin.list('/audit-log')).find(({ action }) => action === 'session.rejected')
        expect(row).toBeDefined()
        return row
      })
      expect(rejected?.address).toBe('198.51.100.9')
    })

    it('a browser that used https and another host is of the same origin, and its cookie is locked to https', async () => {
      const { email } = await app().newPerson()
      const headers = {
        'x-forwarded-proto': 'https',
        'x-forwarded-host': 'touchstone.localhost',
        origin: 'https://touchstone.localhost',
      }
      const sent = { body: { email, password: PASSWORD }, headers }
      const answer = await app().anonymous.send('POST', '/api/auth/sign-in/email', sent)
      expect(answer.status).toBe(200)
      for (const cookie of answer.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/)
    })

    it('a host that is not ours is rejected also if the proxy reports it', async () => {
      const answer = await app().anonymous.get('/health', { 'x-forwarded-host': 'evil.example' })
      expect([answer.status, answer.body]).toEqual([400, { error: 'Unknown host' }])
    })
  },
  { works: false, environment: { TOUCHSTONE_TRUSTED_PROXIES: '127.0.0.1' } },
)

describeEachEngine(
  'without trusted proxies',
  (app) => {
    it('the headers of proxies are ignored: neither address, scheme nor host can be claimed', async () => {
      expect(await auditedAddress(app(), FORWARDED)).toBe('127.0.0.1')
      expect((await app().anonymous.get('/health', { 'x-forwarded-host': 'evil.example' })).status).toBe(200)
      const { email } = await app().newPerson()
      const foreign = {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        origin: 'https://evil.example',
      }
      const sent = { body: { email, password: PASSWORD }, headers: foreign }
      expect((await app().anonymous.send('POST', '/api/auth/sign-in/email', sent)).status).toBe(403)
    })
  },
  { works: false },
)
