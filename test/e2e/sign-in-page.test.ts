import { expect, it } from 'vitest'
import type { Clock } from '../../src/base/clock.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { describePages, fillSignIn, newOwner } from './describe-pages.ts'

const SIGN_IN_REJECTED = /^answer: (401|429) POST \/api\/auth\/sign-in\/email$/

const FOREIGN = [
  '//evil.com',
  '/\\evil.com',
  'https://evil.com',
  '/..//evil.com',
  'javascript:alert(1)',
  '/\t/evil.com',
  '/.//evil.com',
  '/x/..//evil.com',
  '\\\\evil.com',
  ' //evil.com',
  'data:text/html,<script>alert(1)</script>',
  '/%2e%2e//evil.com',
]

// Time stands still unless a test moves it: however slow the machine, no wait ends by itself.
let time = Date.now()
const clock: Clock = { now: () => time }

describePages(
  'sign-in page',
  (app, open) => {
    it('a wrong password and an unknown e-mail get the same message', async () => {
      const { person } = await newOwner(app())
      const page = await open(app().url, { complaints: [SIGN_IN_REJECTED] })
      const sentences: (string | null)[] = []
      for (const email of [person.email, 'nobody@example.com']) {
        await page.goto('/sign-in')
        await fillSignIn(page, email, 'not the password at all')
        sentences.push(await page.getByRole('alert').getByRole('paragraph').first().textContent())
      }
      expect(sentences[0]).toMatch(/e-?mail or password/i)
      expect(sentences[1]).toBe(sentences[0])
    })

    it('after many failures on a known device the page says how long to wait, and lets one in afterwards', {
      tags: 'deep',
    }, async () => {
      const { person, workspaceId } = await newOwner(app())
      await app().asPerson(person, workspaceId).create('/components', { name: 'assistant' })
      const { email } = person
      const page = await open(app().url, { complaints: [SIGN_IN_REJECTED] })
      await page.goto('/sign-in')
      await fillSignIn(page, email, PASSWORD)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.request.post('/api/auth/sign-out', { headers: { origin: app().url }, data: {} })
      const signIn = { headers: { origin: app().url }, data: { email, password: 'not the password at all' } }
      for (let failures = 1; failures <= 6; failures += 1) await page.request.post('/api/auth/sign-in/email', signIn)
      await page.goto('/sign-in')
      await fillSignIn(page, email, PASSWORD)
      await page.getByText(/^You can try again in \d+ seconds?\.$/).waitFor()
      time += 16_000
      await fillSignIn(page, email, PASSWORD)
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    })

    it('signing in opens the requested page, with its query', async () => {
      const { person, workspaceId } = await newOwner(app())
      const page = await open(app().url)
      const wanted = `/a/${workspaceId}/settings/api-keys?new=true`
      await page.goto(wanted)
      await page.waitForURL(/\/sign-in\?/)
      await fillSignIn(page, person.email, PASSWORD)
      await page.getByRole('dialog', { name: 'New API key' }).waitFor()
      expect(page.url()).toBe(`${app().url}${wanted}`)
    })

    it('a link to the sign-in page cannot send a person who signs in to another site', { tags: 'deep' }, async () => {
      const { person, workspaceId } = await newOwner(app())
      for (const next of FOREIGN.slice(0, 5)) {
        const page = await open(app().url)
        await page.goto(`/sign-in?${new URLSearchParams({ next })}`)
        await fillSignIn(page, person.email, PASSWORD)
        await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
        expect(page.url(), next).toBe(`${app().url}/a/${workspaceId}/first-trace`)
      }
    })

    it('a link to the sign-in page cannot send a person who is signed in to another site', {
      tags: 'deep',
    }, async () => {
      const { person, workspaceId } = await newOwner(app())
      const page = await open(app().url, { person })
      for (const next of FOREIGN) {
        await page.goto(`/sign-in?${new URLSearchParams({ next })}`)
        await page.getByRole('heading', { name: 'Send your first trace' }).waitFor()
        expect(page.url(), next).toBe(`${app().url}/a/${workspaceId}/first-trace`)
      }
    })

    it('when the session has ended elsewhere, the next action requires the password and continues', async () => {
      const { person, workspaceId } = await newOwner(app())
      const page = await open(app().url, { person, complaints: [/^answer: 401 /] })
      await page.goto(`/a/${workspaceId}/settings/general`)
      await page.getByRole('heading', { name: 'General' }).waitFor()
      await app().asPerson(person).post('/api/auth/sign-out', {})
      await page.getByRole('link', { name: 'API Keys' }).click()
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
      await dialog.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'API Keys' }).waitFor()
      expect(page.url()).toBe(`${app().url}/a/${workspaceId}/settings/api-keys`)
    })

    it('the password is hidden until the user shows it', { tags: 'deep' }, async () => {
      const page = await open(app().url)
      await page.goto('/sign-in')
      const password = page.getByRole('textbox', { name: 'Password' })
      await password.fill(PASSWORD)
      expect(await password.getAttribute('type')).toBe('password')
      await page.getByRole('button', { name: 'Show password' }).click()
      expect(await password.getAttribute('type')).toBe('text')
      expect(await password.inputValue()).toBe(PASSWORD)
    })
  },
  { clock },
)
