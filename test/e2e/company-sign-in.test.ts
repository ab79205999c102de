// @module-tag deep
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../harness/browser.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../harness/identity-provider.ts'
import { type MailServer, startMailServer } from '../harness/mail-server.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { fillSignIn } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'

describeInBrowser('sign-in of companies', (open) => {
  let provider: IdentityProvider
  let mails: MailServer
  let database: TestDatabase
  let app: TestApp

  beforeAll(async () => {
    const port = await freePort()
    provider = await startIdentityProvider(`http://127.0.0.1:${port}/api/auth/oidc/callback`)
    mails = await startMailServer()
    database = await createTestDatabase('sqlite', 'migrated')
    const environment = {
      PORT: String(port),
      TOUCHSTONE_SMTP_URL: mails.url,
      TOUCHSTONE_SMTP_FROM: 'touchstone@example.com',
      TOUCHSTONE_OIDC_ISSUER: provider.issuer,
      TOUCHSTONE_OIDC_CLIENT_ID: CLIENT.id,
      TOUCHSTONE_OIDC_CLIENT_SECRET: CLIENT.secret,
      TOUCHSTONE_OIDC_NAME: 'Example ID',
    }
    app = await startTestApp(database.url, { environment })
  })

  afterAll(async () => {
    await app.close()
    await provider.close()
    await mails.close()
    database.remove()
  })

  /** The pages of the provider are on another origin. */
  const complaints = [/^request to a foreign origin: http:\/\/127\.0\.0\.1:\d+\/(auth|interaction)/]

  const userAt = (email: string) => ({ sub: `sub of ${email}`, email, email_verified: true, name: 'Pat' })

  async function invite(email: string) {
    const { workspaceId } = await app.newWorkspace('Support')
    const owner = app.asPerson(await app.newPerson([{ workspaceId, role: 'owner' }]), workspaceId)
    expect((await owner.post('/members', { email, role: 'editor' })).status).toBe(201)
    return workspaceId
  }

  it('an invited user returns from the provider to the same page, as a member', async () => {
    const workspaceId = await invite('pat@example.com')
    provider.user = userAt('pat@example.com')
    const page = await open(app.url, { complaints })
    await page.goto(`/a/${workspaceId}/settings/api-keys`)
    await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor()
    await expectAccessible(page, 'sign-in-with-provider')
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${app.url}/a/${workspaceId}/settings/api-keys`)
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await page.goto('/account')
    await page.getByText('pat@example.com').first().waitFor()
  })

  it('a user without an invitation is not signed in, and sees the reason', async () => {
    provider.user = userAt('stranger@example.com')
    const page = await open(app.url, { complaints })
    await page.goto('/sign-in')
    await page.getByRole('button', { name: 'Sign in with Example ID' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Ask an admin of your application for an invitation').waitFor()
    await expectAccessible(page, 'sign-in-problem')
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('session')
  })

  it('a forgotten password is replaced with the link of the mail', async () => {
    const { workspaceId } = await app.newWorkspace('Support')
    const { email } = await app.newPerson([{ workspaceId, role: 'editor' }])
    const page = await open(app.url)
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
    await expectAccessible(page, 'forgot-password')
    await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByRole('button', { name: 'Send link' }).click()
    await page.getByRole('heading', { name: 'Look into your inbox' }).waitFor()
    await expectAccessible(page, 'forgot-password-sent')
    const mail = await until(
      () => mails.received.find(({ recipients }) => recipients.includes(email)) ?? expect.fail('no mail'),
    )
    const link = /http\S+\/reset#\S+/.exec(mail.text)?.[0] ?? ''
    await page.goto(link)
    await page.getByRole('textbox', { name: 'Password' }).fill('another horse battery staple')
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('link', { name: 'Go to sign in' }).click()
    await fillSignIn(page, email, 'another horse battery staple')
    await page.waitForURL(`${app.url}/a/${workspaceId}`)
  })
})
