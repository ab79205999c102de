import { screen, within } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type { Instance } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, networkFailure, onRequest, requestsOf } from './mock-api.ts'
import {
  ADA,
  ASSISTANT,
  address,
  eventually,
  heading,
  idOf,
  inSupport,
  openPage,
  SUPPORT,
  signIn,
} from './open-page.ts'

const SIGN_IN = 'POST /api/auth/sign-in/email'
const PASSWORD = ' correct horse battery '

/** Fills in the form, without sending it. */
async function fillForm(path = '/sign-in') {
  const user = openPage(path)
  await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), ADA.email)
  await user.type(screen.getByLabelText('Password'), PASSWORD)
  return user
}

/** The server accepts the password: from then on, Ada has a session. */
function acceptPassword(applications = [SUPPORT]) {
  onRequest(SIGN_IN, () => {
    signIn('editor', applications)
    return {}
  })
}

describe('sign-in page', () => {
  it('sends the password unchanged, and opens the only application', async () => {
    acceptPassword()
    const user = await fillForm()
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await heading('No component yet')
    expect(address()).toBe(`/a/${SUPPORT.id}`)
    expect(requestsOf(SIGN_IN)).toMatchObject([{ body: { email: ADA.email, password: PASSWORD } }])
  })

  it('opens the list if there are several applications', async () => {
    acceptPassword([SUPPORT, { ...SUPPORT, id: idOf(20), name: 'Search' }])
    const user = await fillForm()
    await user.keyboard('{Enter}')
    await heading('Applications')
    expect(screen.getByRole('link', { name: 'Search' })).toBeTruthy()
  })

  it('returns to the page that required it', async () => {
    acceptPassword()
    const user = await fillForm(inSupport('settings/api-keys?new=true'))
    expect(window.location.pathname).toBe('/sign-in')
    await user.keyboard('{Enter}')
    await screen.findByRole('dialog', { name: 'New API key' })
    expect(address()).toBe(inSupport('settings/api-keys?new=true'))
  })

  it.each(['//evil.com', '/\\evil.com', 'https://evil.com', '/..//evil.com', 'javascript:alert(1)'])(
    'forgets a page of another site: %s',
    async (next) => {
      onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), signupOpen: true })
      openPage(`/sign-in?${new URLSearchParams({ next })}`)
      const link = await screen.findByRole('link', { name: 'Create an account' })
      expect(link.getAttribute('href')).toBe('/sign-up')
    },
  )

  it('redirects a signed-in user', async () => {
    signIn()
    openPage(`/sign-in?${new URLSearchParams({ next: inSupport('components') })}`)
    await heading('No component yet')
    expect(address()).toBe(inSupport('components'))
  })

  it('shows that the password is wrong, keeps the page, and lets the user try again', async () => {
    onRequest(SIGN_IN, failed(401, 'E-mail or password is wrong'))
    const user = await fillForm()
    await user.keyboard('{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('E-mail or password is wrong')
    expect(address()).toBe('/sign-in')
    acceptPassword()
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await heading('No component yet')
  })

  it('counts down the time until the next attempt', async () => {
    onRequest(SIGN_IN, failed(429, 'Too many attempts', { 'Retry-After': '90' }))
    const user = await fillForm()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
    await user.keyboard('{Enter}')
    await screen.findByText('You can try again in 2 minutes.')
    vi.advanceTimersByTime(30_000)
    await screen.findByText('You can try again in 60 seconds.')
    vi.advanceTimersByTime(59_000)
    await screen.findByText('You can try again in 1 second.')
    vi.advanceTimersByTime(5_000)
    await screen.findByText('You can try again now.')
  })

  it('says that the server cannot be reached', async () => {
    onRequest(SIGN_IN, networkFailure)
    const user = await fillForm()
    await user.keyboard('{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('The server did not answer.')
    expect(requestsOf(SIGN_IN), 'a password is not sent again by itself').toHaveLength(1)
  })

  it('shows the status if a proxy responds with its own page', async () => {
    onRequest(SIGN_IN, failed(503, ''))
    const user = await fillForm()
    vi.stubGlobal('fetch', async () => new Response('<html>Bad gateway</html>', { status: 502 }))
    await user.keyboard('{Enter}')
    expect((await screen.findByRole('alert')).textContent).toContain('The server answered with status 502.')
  })

  it('sends nothing without an e-mail address and a password', async () => {
    const user = openPage('/sign-in')
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), 'ada')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findAllByRole('alert')).toHaveLength(2)
    expect(requestsOf(SIGN_IN)).toEqual([])
  })

  it('hides the password until the user shows it', async () => {
    const user = await fillForm()
    const field = screen.getByLabelText('Password')
    expect(field.getAttribute('type')).toBe('password')
    await user.click(screen.getByRole('button', { name: 'Show password', pressed: false }))
    expect(field.getAttribute('type')).toBe('text')
    await user.click(screen.getByRole('button', { name: 'Show password', pressed: true }))
    expect(field.getAttribute('type')).toBe('password')
    expect(field).toHaveProperty('value', PASSWORD)
  })

  it('asks the operator of a new server to open the set-up link', async () => {
    onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), setupNeeded: true })
    openPage('/sign-in')
    await screen.findByText('This server has no account yet')
  })

  it.each([true, false])('offers an account if sign-up is open: %s', async (signupOpen) => {
    onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), signupOpen })
    openPage(`/sign-in?next=${encodeURIComponent(inSupport('components'))}`)
    await heading('Sign in')
    const href = screen.queryByRole('link', { name: 'Create an account' })?.getAttribute('href')
    expect(href).toBe(signupOpen ? `/sign-up?next=${encodeURIComponent(inSupport('components'))}` : undefined)
  })
})

describe('a session that ends', () => {
  it('asks for the password on top of the page with the reason; the typed text stays', async () => {
    signIn()
    const user = openPage(`${inSupport('components')}?new=true`)
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'summarizer')
    onRequest('POST /components', failed(401, 'Sign in first'))
    onRequest('GET /api/auth/get-session', null)
    await user.click(screen.getByRole('button', { name: 'Create component' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Your session has ended' }))
    expect(address()).toBe(`${inSupport('components')}?new=true`)
    expect(dialog.getByRole<HTMLInputElement>('textbox', { name: 'E-mail' }).value).toBe(ADA.email)
    signIn()
    onRequest('POST /components', { id: ASSISTANT.id })
    onRequest(SIGN_IN, {})
    await user.type(dialog.getByLabelText('Password'), 'correct horse')
    await user.click(dialog.getByRole('button', { name: 'Sign in' }))
    await eventually(() => expect(screen.queryByRole('dialog', { name: 'Your session has ended' })).toBeNull())
    expect(requestsOf(SIGN_IN)).toMatchObject([{ body: { email: ADA.email, password: 'correct horse' } }])
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('summarizer')
    await user.click(screen.getByRole('button', { name: 'Create component' }))
    await eventually(() => expect(requestsOf('POST /components')).toHaveLength(2))
  })

  it('can be continued with another account, without data of this one', async () => {
    signIn()
    onRequest('GET /components', failed(401, 'Sign in first'))
    onRequest('GET /api/auth/get-session', () => (requestsOf('GET /components').length > 0 ? null : { user: ADA }))
    openPage(inSupport('components'))
    const link = await screen.findByRole('link', { name: 'Use another account' })
    expect(link.getAttribute('href')).toBe(`/sign-in?next=${encodeURIComponent(inSupport('components'))}`)
  })

  it('is not confused with the end of a membership, which signing in would not mend', async () => {
    signIn()
    onRequest('GET /components', failed(401, 'Sign in first'))
    const pages = window.history.length
    const user = openPage(inSupport('components'))
    expect((await screen.findByRole('alert')).textContent).toContain('Sign in first')
    await eventually(() => expect(requestsOf('GET /api/auth/get-session').length).toBeGreaterThan(1))
    await user.click(screen.getByRole('link', { name: 'Settings' }))
    await heading('General')
    expect(window.history.length - pages, 'no page came in between').toBe(1)
  })

  it('signing out loads the sign-in page again, and shows why if that fails', async () => {
    signIn()
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined)
    onRequest('POST /api/auth/sign-out', networkFailure)
    const user = openPage('/')
    const signOut = async () => {
      await user.click(await screen.findByRole('button', { name: /^Account/ }))
      await user.click(await screen.findByRole('menuitem', { name: 'Sign out' }))
    }
    await signOut()
    await screen.findByText(/^The server did not answer\./)
    expect(assign).not.toHaveBeenCalled()
    onRequest('POST /api/auth/sign-out', {})
    await signOut()
    await eventually(() => expect(assign).toHaveBeenCalledWith('/sign-in'))
  })
})

describe('sign-in with a provider', () => {
  const withProvider = (change: Partial<Instance> = {}) =>
    onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), oidcName: 'Example ID', ...change })

  it('leaves for the provider, which returns to the wanted page', async () => {
    withProvider()
    const assign = vi.spyOn(window.location, 'assign').mockImplementation(() => undefined)
    onRequest('POST /api/auth/oidc/start', { url: 'https://id.example.com/authorize?x=1' })
    const user = openPage(inSupport('settings/members'))
    await user.click(await screen.findByRole('button', { name: 'Sign in with Example ID' }))
    await eventually(() => expect(assign).toHaveBeenCalledWith('https://id.example.com/authorize?x=1'))
    expect(requestsOf('POST /api/auth/oidc/start')[0]?.body).toEqual({ next: inSupport('settings/members') })
    expect(screen.getByLabelText('Password')).toBeTruthy()
  })

  it('is the only way if passwords are turned off', async () => {
    withProvider({ oidcOnly: true, sendsMail: true, signupOpen: true })
    openPage('/sign-in')
    await screen.findByRole('button', { name: 'Sign in with Example ID' })
    expect(screen.queryByLabelText('Password')).toBeNull()
    expect(screen.queryByRole('link', { name: 'Forgot password?' })).toBeNull()
    expect(screen.queryByRole('link', { name: 'Create an account' })).toBeNull()
  })

  it('reports a provider that does not respond', async () => {
    withProvider()
    onRequest('POST /api/auth/oidc/start', failed(503, 'Example ID does not respond; try again later'))
    const user = openPage('/sign-in')
    await user.click(await screen.findByRole('button', { name: 'Sign in with Example ID' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Example ID does not respond')
  })

  it.each([
    ['unverified', 'has not verified your e-mail address'],
    ['domain', 'a domain that may not sign in here'],
    ['unknown', 'Ask an admin of your application'],
    ['<script>', 'Signing in did not work'],
  ])('explains the problem %s', async (problem, text) => {
    withProvider()
    openPage(`/sign-in?${new URLSearchParams({ problem })}`)
    expect((await screen.findByRole('alert')).textContent).toContain(text)
  })

  it('an invited user without a password signs in with the provider', async () => {
    withProvider({ oidcOnly: true })
    onRequest('POST /invitations/lookup', exampleOf('Invitation'))
    openPage('/invite#secret')
    await screen.findByRole('button', { name: 'Sign in with Example ID' })
    expect(screen.queryByLabelText('Password')).toBeNull()
  })
})

describe('forgotten password', () => {
  const withMail = () => onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), sendsMail: true })

  it('a link is requested for the address, and the page does not say whether it has an account', async () => {
    withMail()
    const user = openPage('/sign-in')
    await user.click(await screen.findByRole('link', { name: 'Forgot password?' }))
    await heading('Forgot your password?')
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), `${ADA.email}{Enter}`)
    await heading('Look into your inbox')
    expect(screen.getByText(/has an account with a password/).textContent).toMatch(/^If ada@/)
    expect(requestsOf('POST /api/auth/request-password-reset')[0]?.body).toEqual({ email: ADA.email })
  })

  it('a rejected request is explained', async () => {
    withMail()
    onRequest('POST /api/auth/request-password-reset', failed(429, 'Too many attempts'))
    const user = openPage('/forgot-password')
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), `${ADA.email}{Enter}`)
    expect((await screen.findByRole('alert')).textContent).toContain('Too many attempts')
  })

  it('a server without mail says whom to ask', async () => {
    openPage('/sign-in')
    await screen.findByLabelText('Password')
    expect(screen.queryByRole('link', { name: 'Forgot password?' })).toBeNull()
    openPage('/forgot-password')
    await heading('This server sends no links for passwords')
  })

  it('an invalid link offers a new one', async () => {
    withMail()
    onRequest('POST /password-resets/lookup', failed(404, 'Reset link not found'))
    const user = openPage('/reset#secret')
    await user.click(await screen.findByRole('link', { name: 'Request a new link' }))
    await heading('Forgot your password?')
  })
})
