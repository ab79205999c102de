import { describe, expect, it } from 'vitest'
import { createResetToken } from '../../src/auth/accounts/manage-accounts.ts'
import { revokeAccountGrants } from '../../src/auth/members/account-grants.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { rawRequest, sendRaw } from '../harness/raw-socket.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { seedDecision, shareDecision } from './seed-decision.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
let lateness = 0
const clock = { now: () => Date.now() + lateness }

describeEachEngine(
  'a shared link',
  (app) => {
    /** As any browser would: no cookie and no key. */
    async function open(path: string, method = 'GET', headers: Record<string, string> = {}) {
      const response = await fetch(`${app().url}${path}`, { method, headers, redirect: 'manual' })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }

    /** What a reader sees of a link that does not work, for every reason. */
    async function missingPage() {
      const { status, headers, text } = await open(`/shared/${'A'.repeat(43)}`)
      return { status, text, headers: visible(headers) }
    }

    async function expectMissing(path: string) {
      const { status, headers, text } = await open(path)
      expect({ status, text, headers: visible(headers) }, path).toEqual(await missingPage())
      expect(status).toBe(404)
    }

    it('shows the report without an account, and nothing may run, load or be stored', async () => {
      const seeded = await seedDecision(app())
      const { path } = await shareDecision(seeded)
      const { status, headers, text } = await open(path)
      expect(status).toBe(200)
      expect(text).toContain('Bring back the old prompt.')
      expect(text).toContain('Test Person')
      expect(text).toContain('▼ worse')
      expect(text).not.toContain('@example.com')
      const policy = String(headers.get('content-security-policy'))
      expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; /)
      expect(policy).not.toMatch(/script-src|unsafe|connect-src|img-src|http/)
      expect(policy).toMatch(/frame-ancestors 'none'.*; sandbox$/)
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'private, no-store',
        'x-robots-tag': 'noindex',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      expect(headers.get('set-cookie')).toBeNull()
    })

    it('ends when the account that created it passes to another person', async () => {
      const seeded = await seedDecision(app())
      const { path } = await shareDecision(seeded)
      const { userId, email } = (await seeded.owner.get('/me')).body
      const by = { kind: 'session', userId: String(userId) } as const
      const work = { by, clock, newId: idGenerator(clock), requestId: 'request', address: '' }
      const token = await app().storage.transaction((tx) => createResetToken({ ...work, tx }, String(email)))
      const { body } = await app().anonymous.post('/password-resets/lookup', { token })
      expect(body.grants).toMatchObject({ sharedLinks: expect.any(Number) })
      // Not by the link itself: other tests of this server need the session of the owner.
      await app().storage.transaction((tx) => revokeAccountGrants({ ...work, tx }, String(userId)))
      await expectMissing(path)
      expect(await seeded.owner.list('/audit-log?action=shared-link.revoked')).not.toEqual([])
    })

    it('is listed with its author, expiry and openings, but never again with its address', async () => {
      const seeded = await seedDecision(app())
      const { owner, decision, client } = seeded
      const { path, linkId, body } = await shareDecision(seeded, 90)
      const links = () => client.list(`${decision}/links`)
      const { url: _, ...link } = body
      expect(await links()).toEqual([link])
      expect(link).toMatchObject({ openedAt: null, openedCount: 0, revokedAt: null, author: { name: 'Test Person' } })
      expect(Date.parse(String(link.expiresAt)) - Date.parse(String(link.createdAt))).toBeCloseTo(90 * DAY_MS, -4)
      await open(path)
      await open(path)
      await open(path, 'HEAD')
      expect(await links()).toMatchObject([{ openedCount: 2, openedAt: expect.any(String) }])
      const stored = await app().storage.read.selectFrom('shared_links').selectAll().where('id', '=', linkId).execute()
      expect(JSON.stringify(stored)).not.toContain(path.slice('/shared/'.length))
      const events = await owner.list('/audit-log?action=shared-link,sharing')
      expect(events.map(({ action, detail }) => [action, detail])).toEqual([
        ['shared-link.created', 'for 90 days'],
        ['sharing.changed', 'links allowed'],
      ])
    })

    it('needs that an admin allows links, the role editor, and a person', async () => {
      const seeded = await seedDecision(app())
      const { workspaceId, client, decision, owner } = seeded
      const body = { expiresInDays: 1 }
      expect((await client.get('/sharing')).body).toEqual({ linksAllowed: false, activeLinks: 0 })
      expect(await owner.post(`${decision}/links`, body)).toMatchObject({
        status: 403,
        body: { error: expect.stringContaining('an admin can allow them') },
      })
      const editor = await browserWith(app(), workspaceId, 'editor')
      expect((await editor.patch('/sharing', { linksAllowed: true })).status).toBe(403)
      expect((await owner.patch('/sharing', { linksAllowed: true })).body).toEqual({
        linksAllowed: true,
        activeLinks: 0,
      })
      expect((await editor.post(`${decision}/links`, body)).status).toBe(201)
      expect((await client.get('/sharing')).body).toEqual({ linksAllowed: true, activeLinks: 1 })
      const annotator = await browserWith(app(), workspaceId, 'annotator')
      expect((await annotator.post(`${decision}/links`, body)).status).toBe(403)
      expect((await client.post(`${decision}/links`, body)).status).toBe(401)
      for (const expiresInDays of [0, 91, 1.5, '7'])
        expect((await editor.post(`${decision}/links`, { expiresInDays })).status).toBe(400)
    })

    it('is one of at most 20 active links of a decision', async () => {
      const seeded = await seedDecision(app())
      const { owner, decision } = seeded
      const { linkId } = await shareDecision(seeded)
      for (let place = 1; place < 20; place += 1) await owner.create(`${decision}/links`, { expiresInDays: 1 })
      expect((await owner.post(`${decision}/links`, { expiresInDays: 1 })).status).toBe(409)
      await owner.delete(`${decision}/links/${linkId}`)
      expect((await owner.post(`${decision}/links`, { expiresInDays: 1 })).status).toBe(201)
    })

    describe('that does not work has one and the same response', () => {
      it('for tokens that are unknown, tampered with, cut, extended or written in another way', async () => {
        const { path } = await shareDecision(await seedDecision(app()))
        const token = path.slice('/shared/'.length)
        const other = token.startsWith('A') ? 'B' : 'A'
        const paths = [
          `/shared/${other}${token.slice(1)}`,
          `/shared/${token.slice(0, -1)}`,
          `/shared/${token}A`,
          `/shared/${token}=`,
          `/shared/${token}/`,
          `/shared/${token}/report`,
          `/shared/${token}.html`,
          `/shared/%${token.charCodeAt(0).toString(16)}${token.slice(1)}`,
          `/shared/${token}%00`,
          `/shared/${token}%2f`,
          `/shared/x/..%2f${token}`,
          '/shared/',
          '/shared/%2e%2e%2fapi%2fv1%2fcomponents',
          `/shared/${'x'.repeat(5_000)}`,
          "/shared/'--or'1'='1",
        ]
        for (const one of paths) await expectMissing(one)
        expect((await open(`${path}?anything=1`)).status).toBe(200)
      })

      it('if it has expired', async () => {
        const { path } = await shareDecision(await seedDecision(app()), 1)
        try {
          lateness = DAY_MS - 60_000
          expect((await open(path)).status).toBe(200)
          lateness = DAY_MS + 60_000
          await expectMissing(path)
        } finally {
          lateness = 0
        }
      })

      it('if it was revoked, which can be done once', async () => {
        const seeded = await seedDecision(app())
        const { owner, decision } = seeded
        const { path, linkId } = await shareDecision(seeded)
        const kept = await shareDecision(seeded)
        expect((await owner.delete(`${decision}/links/${linkId}`)).status).toBe(204)
        await expectMissing(path)
        expect((await owner.delete(`${decision}/links/${linkId}`)).status).toBe(404)
        expect((await open(kept.path)).status).toBe(200)
        const revoked = (await owner.list(`${decision}/links`)).map(({ revokedAt }) => revokedAt)
        expect(revoked).toEqual([null, expect.any(String)])
      })

      it('while an admin does not allow links', async () => {
        const seeded = await seedDecision(app())
        const { path } = await shareDecision(seeded)
        await seeded.owner.patch('/sharing', { linksAllowed: false })
        await expectMissing(path)
        await seeded.owner.patch('/sharing', { linksAllowed: true })
        expect((await open(path)).status).toBe(200)
      })

      it('if its decision, component or application was deleted, at once and after the rows are gone', async () => {
        const [one, two, three] = [await seedDecision(app()), await seedDecision(app()), await seedDecision(app())]
        const [first, second, third] = [await shareDecision(one), await shareDecision(two), await shareDecision(three)]
        await one.owner.delete(one.decision)
        await two.owner.delete(two.component)
        await three.owner.delete(`/workspaces/${three.workspaceId}`)
        for (const { path } of [first, second, third]) await expectMissing(path)
        await waitForJobs(app().storage, two.workspaceId)
        for (const { path } of [first, second, third]) await expectMissing(path)
      })
    })

    it('cannot be created, listed or revoked from another workspace', async () => {
      const seeded = await seedDecision(app())
      const foreign = await seedDecision(app())
      await shareDecision(foreign)
      const { path, linkId } = await shareDecision(seeded)
      for (const decision of [seeded.decision, `${foreign.component}/decisions/${seeded.decisionId}`]) {
        expect((await foreign.owner.post(`${decision}/links`, { expiresInDays: 1 })).status).not.toBe(201)
        expect((await foreign.client.get(`${decision}/links`)).status).toBe(404)
        expect((await foreign.client.get(`${decision}/report`)).status).toBe(404)
      }
      expect((await seeded.owner.delete(`${foreign.decision}/links/${linkId}`)).status).toBe(404)
      expect((await open(path)).status).toBe(200)
    })

    it('is no credential: its token opens no route, and a session opens no other link', async () => {
      const seeded = await seedDecision(app())
      const { path } = await shareDecision(seeded)
      const token = path.slice('/shared/'.length)
      for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `session=${token}` }]) {
        expect((await open(`/api/v1${seeded.decision}`, 'GET', headers)).status).toBe(401)
      }
      expect((await open(`/api/v1/shared/${token}`)).status).toBe(404)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect((await open(path, method)).status).toBe(405)
      const person = await app().newPerson([{ workspaceId: seeded.workspaceId, role: 'owner' }])
      const signedIn = await open(path, 'GET', { cookie: person.cookie })
      expect(signedIn.text).toBe((await open(path)).text)
    })

    it('responds to HEAD with the headers of GET', async () => {
      const { path } = await shareDecision(await seedDecision(app()))
      const [head, get] = [await open(path, 'HEAD'), await open(path)]
      expect([head.status, head.text]).toEqual([200, ''])
      expect(visible(head.headers)).toEqual(visible(get.headers))
      const request = rawRequest('HEAD /shared/nothing', ['Host: localhost'])
      expect((await sendRaw(app().url, request, { method: 'HEAD' })).status).toBe(404)
    })

    it('shows no ratings while one of the runs is rated blindly, because its reader may be a rater', async () => {
      const seeded = await seedDecision(app())
      const { client, component, baseline, candidate, owner, decisions } = seeded
      for (const { runId, traceIds } of [baseline, candidate])
        await client.create(`${component}/runs/${runId}/annotations`, { traceDbId: traceIds[0], rating: 'negative' })
      const runs = { baselineRunId: baseline.runId, candidateRunId: candidate.runId }
      const rated = await owner.create(decisions, { ...runs, decision: 'hold' })
      const { path } = await shareDecision({ ...seeded, decision: `${decisions}/${rated}` })
      const isRatingShown = async () => (await open(path)).text.includes('<td>rating<br>')
      expect(await isRatingShown()).toBe(true)
      const policy = `${component}/runs/${candidate.runId}/annotation-policy`
      await client.send('PUT', policy, { body: { blind: true } })
      expect(await isRatingShown()).toBe(false)
    })
  },
  { clock },
)

describeEachEngine(
  'anonymous readers of shared links',
  (app) => {
    it('are limited by their address, also if no link works', async () => {
      const statuses = new Set<number>()
      for (let place = 0; place < 12; place += 1)
        statuses.add((await fetch(`${app().url}/shared/${'A'.repeat(43)}`)).status)
      expect(statuses).toEqual(new Set([404, 429]))
    })
  },
  { environment: { TOUCHSTONE_REQUESTS_PER_SECOND: '1', TOUCHSTONE_REQUESTS_BURST: '5' } },
)

function visible(headers: Headers): Record<string, string> {
  const own = ['date', 'x-request-id', 'connection', 'keep-alive']
  return Object.fromEntries([...headers].filter(([name]) => !own.includes(name)))
}
