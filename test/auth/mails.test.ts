import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createResetToken, disableAccount } from '../../src/auth/accounts/manage-accounts.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { PASSWORD, startTestApp, type TestApp } from '../harness/test-app.ts'
import { totpCode } from '../harness/totp.ts'
import { until } from '../harness/wait-for.ts'

const FORGOT = '/api/auth/request-password-reset'

describeEngines('e-mails', (engine) => {
  let mails: MailServer
  let app: TestApp
  let database: TestDatabase

  beforeAll(async () => {
    mails = await startMailServer()
    database = await createTestDatabase(engine, 'migrated')
    const environment = {
      TOUCHSTONE_SMTP_URL: mails.url,
      TOUCHSTONE_SMTP_FROM: 'Touchstone <touchstone@example.com>',
      // Links have the port.
      PORT: String(await freePort()),
    }
    app = await startTestApp(database.url, { environment, sleep: async () => {} })
  })

  afterAll(async () => {
    await app.close()
    await mails.close()
    database.remove()
  })

  beforeEach(() => {
    mails.received.length = 0
  })

  const forgot = (email: string) => app.anonymous.post(FORGOT, { email })
  const signIn = (email: string, password: string) => app.anonymous.post('/api/auth/sign-in/email', { email, password })
  const mailsTo = (email: string) => mails.received.filter(({ recipients }) => recipients.includes(email))

  async function mailTo(email: string, count = 1) {
    await until(() => expect(mailsTo(email)).toHaveLength(count))
    return mailsTo(email)[count - 1] ?? expect.fail('no mail')
  }

  function tokenIn(text: string): string {
    return new RegExp(`${app.url}/reset#([\\w-]{43})`).exec(text)?.[1] ?? expect.fail(text)
  }

  describe('password reset', () => {
    it('the link in the mail sets a new password, once', async () => {
      const { email } = await app.newPerson()
      expect(await forgot(email.toUpperCase())).toMatchObject({ status: 200, body: { success: true } })
      const mail = await mailTo(email)
      expect(mail).toMatchObject({ from: 'touchstone@example.com', recipients: [email] })
      const token = tokenIn(mail.text)
      expect(tokenIn(mail.html)).toBe(token)
      const change = { token, password: 'another horse battery staple' }
      expect((await app.anonymous.post('/password-resets', change)).status).toBe(200)
      expect((await signIn(email, change.password)).status).toBe(200)
      expect((await signIn(email, PASSWORD)).status).toBe(401)
      expect((await app.anonymous.post('/password-resets', change)).status).toBe(404)
    })

    it('a new password does not replace the second factor', async () => {
      const person = await app.newPerson()
      const browser = app.asPerson(person)
      const { body } = await browser.post('/api/auth/two-factor/enable', { password: PASSWORD })
      const code = totpCode(String(body.totpUri), app.clock.now())
      expect((await browser.post('/api/auth/two-factor/confirm', { code })).status).toBe(200)
      await forgot(person.email)
      const { text } = await mailTo(person.email)
      const change = { token: tokenIn(text), password: 'another horse battery staple' }
      expect((await app.anonymous.post('/password-resets', change)).status).toBe(200)
      expect((await signIn(person.email, change.password)).body).toMatchObject({ secondFactor: 'required' })
    })

    it('the response is the same for unknown, disabled and existing accounts, and only the last get a mail', async () => {
      const existing = await app.newPerson()
      const disabled = await app.newPerson()
      const by = { kind: 'command-line', userId: disabled.userId } as const
      const work = { clock: app.clock, newId: idGenerator(app.clock), requestId: 'test', address: '', by }
      await app.storage.transaction((tx) => disableAccount({ ...work, tx }, disabled.email))
      const emails = ['unknown@example.com', disabled.email, existing.email]
      const responses: Awaited<ReturnType<typeof forgot>>[] = []
      for (const email of emails) responses.push(await forgot(email))
      const seen = responses.map(({ status, text, headers }) => {
        return { status, text, names: [...headers.keys()].sort() }
      })
      expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1)
      await mailTo(existing.email)
      expect(mails.received.map(({ recipients }) => recipients)).toEqual([[existing.email]])
    })

    it('an account gets at most three mails at once, and the response does not reveal it', async () => {
      const { email } = await app.newPerson()
      const other = await app.newPerson()
      for (let count = 0; count < 5; count += 1) expect((await forgot(email)).status).toBe(200)
      await forgot(other.email)
      await mailTo(other.email)
      await mailTo(email, 3)
    })

    it('a transient error of the mail server is tried again, a permanent one is not', async () => {
      const { email } = await app.newPerson()
      mails.rejections.push(451)
      await forgot(email)
      await mailTo(email)
      mails.rejections.push(550)
      const rejected = await app.newPerson()
      await forgot(rejected.email)
      await until(() => expect(mails.rejections).toEqual([]))
      await forgot(email)
      await mailTo(email, 2)
      expect(mailsTo(rejected.email)).toEqual([])
    })

    it.each(['', 'x', 'a@b', 'a@example.com\r\nBcc: b@example.com', 'a@example.com,b@example.com'])(
      'the address %j is rejected',
      async (email) => {
        expect((await forgot(email)).status).toBe(400)
      },
    )

    it('a link of the operator works as before', async () => {
      const { email, userId } = await app.newPerson()
      const by = { kind: 'command-line', userId } as const
      const work = { clock: app.clock, newId: idGenerator(app.clock), requestId: 'test', address: '', by }
      const token = await app.storage.transaction((tx) => createResetToken({ ...work, tx }, email))
      expect((await app.anonymous.post('/password-resets/lookup', { token })).body).toMatchObject({
        email,
        revokesGrants: true,
      })
    })
  })

  describe('invitation', () => {
    async function invite(email: string, name = 'Support') {
      const { workspaceId } = await app.newWorkspace(name)
      const owner = app.asPerson(await app.newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
      return owner.post('/members', { email, role: 'editor' })
    }

    it('the mail has the link that the response shows', async () => {
      const { body } = await invite('new-member@example.com')
      const { text, html, headers } = await mailTo('new-member@example.com')
      expect(text).toContain(body.invitationUrl)
      expect(html).toContain(body.invitationUrl)
      expect(text).toContain('“Support” as editor')
      expect(headers).toContain('Auto-Submitted: auto-generated')
    })

    it('names of applications add neither headers, recipients, markup nor links', async () => {
      const name = 'x\r\nBcc: evil@example.com\r\n\r\n<img src=x> http://evil.example/'
      await invite('careful@example.com', name)
      const { headers, text, html, recipients } = await mailTo('careful@example.com')
      expect(recipients).toEqual(['careful@example.com'])
      expect(headers).not.toMatch(/^bcc:/im)
      expect(html).not.toContain('<img')
      expect(text + html).not.toContain('http://evil.example')
    })

    it('one address gets at most three mails, also from different senders', async () => {
      for (let count = 0; count < 5; count += 1) expect((await invite('often@example.com')).status).toBe(201)
      await invite('after@example.com')
      await mailTo('after@example.com')
      await mailTo('often@example.com', 3)
    })
  })

  it('the sign-in page gets that mails are sent', async () => {
    expect((await app.anonymous.get('/instance')).body).toMatchObject({ sendsMail: true })
  })
})

describe('without a mail server', () => {
  it('there is no request for a mail', async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const app = await startTestApp(database.url)
    expect((await app.anonymous.post(FORGOT, { email: 'ann@example.com' })).status).toBe(404)
    expect((await app.anonymous.get('/instance')).body).toMatchObject({ sendsMail: false })
    await app.close()
    database.remove()
  })
})
