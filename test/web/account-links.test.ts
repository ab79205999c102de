import { screen } from '@testing-library/dom'
import { describe, expect, it, vi } from 'vitest'
import type { Instance, Invitation } from '../../web/src/api/generated/api.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, address, eventually, heading, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const PASSWORD = 'correct horse battery'
const SIGN_IN = 'POST /api/auth/sign-in/email'
const INVITATION: Invitation = {
  ...exampleOf<Invitation>('Invitation'),
  email: ADA.email,
  workspaceName: 'Support',
  role: 'editor',
}

type User = ReturnType<typeof openPage>

async function fillAccount(user: User, name: string, email?: string) {
  await user.type(await screen.findByRole('textbox', { name: 'Name' }), name)
  if (email) await user.type(screen.getByRole('textbox', { name: 'E-mail' }), email)
  await user.type(screen.getByLabelText('Password'), PASSWORD)
}

const acceptPassword = () =>
  onRequest(SIGN_IN, () => {
    signIn('editor')
    return {}
  })

describe('invitation', () => {
  function openInvitation() {
    onRequest('POST /invitations/lookup', INVITATION)
    onRequest('POST /invitations/sign-up', { workspaceId: SUPPORT.id })
    return openPage('/invite#secret')
  }

  it('creates an account for the invited address, signs in, and opens the application', async () => {
    acceptPassword()
    const user = openInvitation()
    await heading('Join Support')
    expect(screen.getByText(/^You were invited as editor\./)).toBeTruthy()
    const email = screen.getByRole('textbox', { name: 'E-mail' })
    expect(email).toMatchObject({ value: ADA.email, readOnly: true })
    await fillAccount(user, 'Ada')
    await user.click(screen.getByRole('button', { name: 'Join' }))
    await heading('No component yet')
    expect(address()).toBe(`/a/${SUPPORT.id}`)
    expect(requestsOf('POST /invitations/sign-up')[0]?.body).toEqual({
      token: 'secret',
      name: 'Ada',
      password: PASSWORD,
    })
    expect(requestsOf(SIGN_IN)[0]?.body).toEqual({ email: ADA.email, password: PASSWORD })
  })

  it('a password that is too short is explained before it is sent', async () => {
    const user = openInvitation()
    await user.type(await screen.findByRole('textbox', { name: 'Name' }), 'Ada')
    const password = screen.getByLabelText('Password')
    await user.type(password, 'short{Enter}')
    await screen.findByRole('alert')
    expect(password.getAttribute('aria-invalid')).toBe('true')
    expect(requestsOf('POST /invitations/sign-up')).toEqual([])
  })

  it('a rejected password is explained', async () => {
    const user = openInvitation()
    onRequest('POST /invitations/sign-up', failed(400, 'The password is too common'))
    await fillAccount(user, 'Ada')
    await user.click(screen.getByRole('button', { name: 'Join' }))
    expect((await screen.findByRole('alert')).textContent).toContain('The password is too common')
  })

  it('an account that was created is not created again if signing in fails at first', async () => {
    onRequest(SIGN_IN, failed(429, 'Too many attempts'))
    const user = openInvitation()
    await fillAccount(user, 'Ada')
    await user.click(await screen.findByRole('button', { name: 'Join' }))
    expect((await screen.findByRole('alert')).textContent).toContain('Too many attempts')
    acceptPassword()
    onRequest('POST /invitations/sign-up', failed(404, 'Invitation not found'))
    await user.click(screen.getByRole('button', { name: 'Join' }))
    await heading('No component yet')
    expect(requestsOf('POST /invitations/sign-up')).toHaveLength(1)
  })

  it('a person with an account signs in on the same page', async () => {
    acceptPassword()
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    const user = openInvitation()
    await user.click(await screen.findByRole('button', { name: 'I have an account already' }))
    expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
    await user.type(screen.getByLabelText('Password'), `${PASSWORD}{Enter}`)
    await eventually(() => expect(reload).toHaveBeenCalled())
    expect(requestsOf(SIGN_IN)[0]?.body).toEqual({ email: ADA.email, password: PASSWORD })
    expect(window.location.hash).toBe('#secret')
  })

  it('a wrong password is shown on the page of the invitation', async () => {
    onRequest(SIGN_IN, failed(401, 'E-mail or password is wrong'))
    const user = openInvitation()
    await user.click(await screen.findByRole('button', { name: 'I have an account already' }))
    await user.type(screen.getByLabelText('Password'), `${PASSWORD}{Enter}`)
    expect((await screen.findByRole('alert')).textContent).toContain('E-mail or password is wrong')
    await user.click(screen.getByRole('button', { name: 'I have no account yet' }))
    expect(screen.getByRole('textbox', { name: 'Name' })).toBeTruthy()
  })

  it('a user who is signed in joins only after confirming', async () => {
    signIn('editor', [])
    onRequest('POST /invitations/accept', () => {
      signIn('editor')
      return { workspaceId: SUPPORT.id }
    })
    const user = openInvitation()
    const join = await screen.findByRole('button', { name: 'Join' })
    expect(requestsOf('POST /invitations/accept')).toEqual([])
    await user.click(join)
    await heading('No component yet')
    expect(requestsOf('POST /invitations/accept')).toMatchObject([{ body: { token: 'secret' } }])
  })

  it('a user who is signed in with another address sees which one is invited', async () => {
    signIn()
    onRequest('POST /invitations/lookup', { ...INVITATION, email: 'grace@example.com' })
    const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => undefined)
    const user = openPage('/invite#secret')
    await heading('This invitation is for another account')
    expect(screen.getByText('grace@example.com')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Join' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Sign out' }))
    await eventually(() => expect(reload).toHaveBeenCalled())
  })

  it.each([400, 404, 409])(
    'a link that the server rejects with %i does not work, with a message what to do',
    async (status) => {
      onRequest('POST /invitations/lookup', failed(status, 'Not found'))
      openPage('/invite#secret')
      await heading('This invitation does not work')
      expect(screen.getByRole('link', { name: 'Go to sign in' }).getAttribute('href')).toBe('/sign-in')
    },
  )

  it('a link without its secret does not work, and sends no request', async () => {
    openPage('/invite')
    await heading('This invitation does not work')
    expect(requestsOf('POST /invitations/lookup')).toEqual([])
  })

  it('another failure is not blamed on the link', async () => {
    onRequest('POST /invitations/lookup', failed(429, 'Too many requests'))
    openPage('/invite#secret')
    expect((await screen.findByRole('alert')).textContent).toContain('Too many requests')
    expect(screen.queryByRole('heading', { name: 'This invitation does not work' })).toBeNull()
  })
})

const NO_GRANTS = { apiKeys: 0, invitations: 0, sharedLinks: 0 }

describe('password reset', () => {
  it('changes the password of the account that the link is for', async () => {
    onRequest('POST /password-resets/lookup', { email: ADA.email, grants: NO_GRANTS, revokesGrants: false })
    const user = openPage('/reset#secret')
    await heading('Choose a new password')
    expect(screen.queryByRole('checkbox')).toBeNull()
    expect(screen.getByRole('textbox', { name: 'E-mail' })).toMatchObject({ value: ADA.email, readOnly: true })
    await user.type(screen.getByLabelText('Password'), `${PASSWORD}{Enter}`)
    await heading('Your password is changed')
    expect(requestsOf('POST /password-resets')).toMatchObject([{ body: { token: 'secret', password: PASSWORD } }])
    await user.click(screen.getByRole('link', { name: 'Go to sign in' }))
    await heading('Sign in')
  })

  it('offers to revoke the keys of the account, and says what else works without it', async () => {
    const grants = { apiKeys: 2, invitations: 1, sharedLinks: 0 }
    onRequest('POST /password-resets/lookup', { email: ADA.email, grants, revokesGrants: false })
    const user = openPage('/reset#secret')
    await user.click(await screen.findByRole('checkbox', { name: /^Also revoke 2 API keys and 1 open invitation/ }))
    await user.type(screen.getByLabelText('Password'), `${PASSWORD}{Enter}`)
    await heading('Your password is changed')
    expect(requestsOf('POST /password-resets')).toMatchObject([{ body: { revokeGrants: true } }])
  })

  it('a link of the operator says that it revokes the keys', async () => {
    const grants = { apiKeys: 1, invitations: 0, sharedLinks: 1 }
    onRequest('POST /password-resets/lookup', { email: ADA.email, grants, revokesGrants: true })
    openPage('/reset#secret')
    await screen.findByText(/revokes 1 API key and 1 shared link\.$/)
    expect(screen.queryByRole('checkbox')).toBeNull()
  })

  it('a rejected password is explained, and another can be chosen', async () => {
    onRequest('POST /password-resets', failed(400, 'The password is too common'))
    const user = openPage('/reset#secret')
    await user.type(await screen.findByLabelText('Password'), `${PASSWORD}{Enter}`)
    expect((await screen.findByRole('alert')).textContent).toContain('The password is too common')
    onRequest('POST /password-resets', { email: ADA.email })
    await user.type(screen.getByLabelText('Password'), ' staple{Enter}')
    await heading('Your password is changed')
  })

  it.each(['POST /password-resets/lookup', 'POST /password-resets'])('a used link does not work: %s', async (name) => {
    onRequest(name, failed(404, 'Not found'))
    const user = openPage('/reset#secret')
    if (name === 'POST /password-resets') {
      await user.type(await screen.findByLabelText('Password'), `${PASSWORD}{Enter}`)
    }
    await heading('This link does not work')
  })

  it('a link without its secret does not work', async () => {
    openPage('/reset')
    await heading('This link does not work')
    expect(requestsOf('POST /password-resets/lookup')).toEqual([])
  })
})

describe('set-up', () => {
  const openSetup = (path: string) => {
    onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), setupNeeded: true })
    return openPage(path)
  }

  it('creates the first account and signs in', async () => {
    acceptPassword()
    const user = openSetup('/setup#secret')
    await heading('Welcome to Touchstone')
    await fillAccount(user, 'Ada', ADA.email)
    const shown: (string | null | undefined)[] = []
    const observer = new MutationObserver(() => shown.push(document.querySelector('h1')?.textContent))
    observer.observe(document.body, { childList: true, subtree: true })
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    await heading('No component yet')
    observer.disconnect()
    expect(shown, 'the link is not called wrong while the page is left').not.toContain('This set-up link does not work')
    const account = { token: 'secret', name: 'Ada', email: ADA.email, password: PASSWORD }
    expect(requestsOf('POST /setup')).toMatchObject([{ body: account }])
  })

  it('needs no name, but accepts no address as one', async () => {
    acceptPassword()
    const user = openSetup('/setup#secret')
    await fillAccount(user, ADA.email, ADA.email)
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    expect(requestsOf('POST /setup')).toEqual([])
    await user.clear(screen.getByRole('textbox', { name: /^Name/ }))
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    await heading('No component yet')
    expect(requestsOf('POST /setup')[0]?.body).toEqual({ token: 'secret', email: ADA.email, password: PASSWORD })
  })

  it.each([
    [401, 'This set-up link does not work'],
    [409, 'This server is set up'],
  ])('a link that the server rejects with %i is explained', async (status, title) => {
    onRequest('POST /setup', failed(status, 'No'))
    const user = openSetup('/setup#secret')
    await fillAccount(user, 'Ada', ADA.email)
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    await heading(title)
  })

  it('says that the account exists if signing in fails afterwards', async () => {
    onRequest(SIGN_IN, failed(429, 'Too many attempts'))
    const user = openSetup('/setup#secret')
    await fillAccount(user, 'Ada', ADA.email)
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    await screen.findByText(/^Your account is ready/)
    expect(screen.getByRole('link', { name: 'Go to sign in' })).toBeTruthy()
  })

  it('a set-up link without its secret does not work', async () => {
    openSetup('/setup')
    await heading('This set-up link does not work')
  })

  it('a server that has an account is not set up again', async () => {
    openPage('/setup#secret')
    await heading('This server is set up')
  })
})

describe('sign-up', () => {
  it('says that accounts need an invitation if it is closed', async () => {
    openPage('/sign-up')
    await heading('Accounts come by invitation')
    expect(screen.queryByRole('button', { name: 'Create account' })).toBeNull()
  })

  it('creates an account and opens the requested page', async () => {
    onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), signupOpen: true })
    onRequest('POST /api/auth/sign-up/email', () => {
      signIn()
      return {}
    })
    const user = openPage(`/sign-up?next=${encodeURIComponent(inSupport('settings/members'))}`)
    await fillAccount(user, 'Ada', ADA.email)
    await user.click(screen.getByRole('button', { name: 'Create account' }))
    await heading('Members')
    expect(requestsOf('POST /api/auth/sign-up/email')[0]?.body).toEqual({
      name: 'Ada',
      email: ADA.email,
      password: PASSWORD,
    })
  })
})

describe('command line', () => {
  const DEVICE = {
    user_code: 'ABCDEFGH',
    status: 'pending',
    key_name: 'CLI on laptop',
    address: '192.0.2.7',
    expires_at: '2026-11-17T08:10:00.000Z',
  }

  it('shows the origin of the request and the key to be created, before it is approved', async () => {
    signIn('annotator')
    onRequest('GET /api/auth/device', DEVICE)
    const user = openPage('/device')
    await user.type(await screen.findByRole('textbox', { name: 'Code' }), ' abcdefgh {Enter}')
    await screen.findByText('ABCDEFGH')
    expect(screen.getByText(ADA.email)).toBeTruthy()
    expect(screen.getByText(/^A program at 192\.0\.2\.7 asks for an API key/)).toBeTruthy()
    await screen.findByText('CLI on laptop')
    const role = await screen.findByRole('combobox', { name: 'Role' })
    expect(role).toMatchObject({ value: 'annotator' })
    expect(screen.queryByRole('option', { name: 'editor' })).toBeNull()
    await user.selectOptions(role, 'viewer')
    await user.click(screen.getByRole('button', { name: 'Approve' }))
    await heading('The command line is connected')
    const approval = { userCode: 'ABCDEFGH', workspaceId: SUPPORT.id, role: 'viewer' }
    expect(requestsOf('POST /api/auth/device/approve')).toMatchObject([{ body: approval }])
  })

  it('a user without an application can only deny', async () => {
    signIn('owner', [])
    onRequest('GET /api/auth/device', DEVICE)
    const user = openPage('/device?user_code=ABCDEFGH')
    await screen.findByText('You have no application')
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Deny' }))
    await heading('The login was denied')
    expect(requestsOf('POST /api/auth/device/deny')).toMatchObject([{ body: { userCode: 'ABCDEFGH' } }])
  })

  it('a rejected approval is explained, and can be repeated', async () => {
    signIn()
    onRequest('GET /api/auth/device', DEVICE)
    onRequest('POST /api/auth/device/approve', failed(409, 'A member has at most 50 API keys; revoke one first'))
    const user = openPage('/device?user_code=ABCDEFGH')
    await user.click(await screen.findByRole('button', { name: 'Approve' }))
    expect((await screen.findByRole('alert')).textContent).toContain('at most 50 API keys')
    expect(screen.getByRole('button', { name: 'Approve' })).toBeTruthy()
  })

  it('a code that does not exist cannot be approved', async () => {
    signIn()
    onRequest('GET /api/auth/device', failed(400, 'The code is invalid'))
    const user = openPage('/device?user_code=12345678')
    await heading('This code does not work')
    expect(requestsOf('GET /api/auth/device')[0]?.query).toEqual({ user_code: '12345678' })
    expect(screen.queryByRole('button', { name: 'Approve' })).toBeNull()
    await user.click(screen.getByRole('link', { name: 'Enter another code' }))
    await screen.findByRole('textbox', { name: 'Code' })
  })
})
