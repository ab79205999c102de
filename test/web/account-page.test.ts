import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { ApiKey, CreatedApiKey, Instance, Me, Workspace } from '../../web/src/api/generated/api.ts'
import type { SessionEntry } from '../../web/src/api/session.ts'
import { exampleOf } from './api-description.ts'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { ADA, address, eventually, heading, idOf, inSupport, openPage, SUPPORT, signIn } from './open-page.ts'

const SEARCH: Workspace = { ...SUPPORT, id: idOf(5), name: 'Search' }
const NOW = new Date().toISOString()
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0'

function sessionOf(changes: Partial<SessionEntry>): SessionEntry {
  const times = { createdAt: NOW, lastUsedAt: NOW, expiresAt: NOW }
  return { id: idOf(60), ipAddress: '203.0.113.7', userAgent: FIREFOX, isCurrent: false, ...times, ...changes }
}

const CURRENT = sessionOf({ id: idOf(61), isCurrent: true })
const OLD = sessionOf({ id: idOf(62), userAgent: 'curl/8.5.0' })

function openAccount(path = '/account') {
  signIn('editor', [SUPPORT, SEARCH])
  onRequest('GET /api/auth/list-sessions', { data: [CURRENT, OLD] })
  onRequest('GET /api/auth/two-factor', { isEnabled: false, recoveryCodesLeft: 0, hasPassword: true })
  onRequest('GET /api-keys', { data: [] })
  return openPage(path)
}

const section = async (name: string) => within(await screen.findByRole('region', { name }))

describe('account page', () => {
  it('changes the name, and shows it in the rail', async () => {
    const user = openAccount()
    const profile = await section('Profile')
    await user.clear(profile.getByRole('textbox', { name: 'Name' }))
    await user.type(profile.getByRole('textbox', { name: 'Name' }), ' Ada King ')
    onRequest('PATCH /me', { userId: ADA.id, name: 'Ada King', email: ADA.email })
    onRequest('GET /api/auth/get-session', { user: { ...ADA, name: 'Ada King' } })
    await user.click(profile.getByRole('button', { name: 'Save name' }))
    await screen.findByText('Your name is saved.')
    expect(requestsOf('PATCH /me').at(-1)?.body).toEqual({ name: 'Ada King' })
    await eventually(() => expect(screen.getByRole('button', { name: /^Account/ }).textContent).toContain('Ada King'))
  })

  it('changes the password, and leaves none of them in the form', async () => {
    const user = openAccount()
    const form = await section('Password')
    await user.type(form.getByLabelText('Current password'), 'old password old')
    await user.type(form.getByLabelText('New password'), 'new password, quite other')
    await user.click(form.getByRole('button', { name: 'Change password' }))
    await screen.findByText(/All your other sessions have ended/)
    expect(requestsOf('POST /api/auth/change-password').at(-1)?.body).toEqual({
      currentPassword: 'old password old',
      newPassword: 'new password, quite other',
    })
    const passwords = ['Current password', 'New password'].map(
      (label) => form.getByLabelText<HTMLInputElement>(label).value,
    )
    expect(passwords).toEqual(['', ''])
  })

  it('offers no password and no second factor to an account of another provider', async () => {
    openAccount()
    onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), oidcName: 'Example ID', oidcOnly: false })
    onRequest('GET /api/auth/two-factor', { isEnabled: false, recoveryCodesLeft: 0, hasPassword: false })
    const password = await section('Password')
    await password.findByText('Your account has no password. You sign in with Example ID.')
    expect(password.queryByLabelText('Current password')).toBeNull()
    const factor = await section('Second factor')
    await factor.findByText('Example ID decides whether you need one.')
    expect(factor.queryByRole('button', { name: 'Turn on…' })).toBeNull()
  })

  it('shows why a password was not changed', async () => {
    const user = openAccount()
    onRequest('POST /api/auth/change-password', failed(400, 'The current password is wrong'))
    const form = await section('Password')
    await user.type(form.getByLabelText('Current password'), 'not my password')
    await user.type(form.getByLabelText('New password'), 'new password, quite other')
    await user.click(form.getByRole('button', { name: 'Change password' }))
    await form.findByText('The current password is wrong')
  })

  it('ends one session, but never the current one', async () => {
    const user = openAccount()
    const sessions = await section('Sessions')
    const rows = await sessions.findAllByRole('listitem')
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Firefox on Linuxthis session203.0.113.7 · in use now/),
      expect.stringMatching(/^curl203.0.113.7 · last used just now/),
    ])
    await user.click(sessions.getByRole('button', { name: /^End the session/ }))
    await user.click(await screen.findByRole('button', { name: 'End session' }))
    await screen.findByText('The session has ended.')
    expect(requestsOf('POST /api/auth/revoke-session').map(({ body }) => body)).toEqual([{ id: OLD.id }])
  })

  it('ends all other sessions', async () => {
    const user = openAccount()
    await user.click(await screen.findByRole('button', { name: 'End all others…' }))
    onRequest('GET /api/auth/list-sessions', { data: [CURRENT] })
    await user.click(await screen.findByRole('button', { name: 'End them' }))
    await screen.findByText('All other sessions have ended.')
    expect(requestsOf('POST /api/auth/revoke-other-sessions')).toHaveLength(1)
    await eventually(() => expect(screen.queryByRole('button', { name: 'End all others…' })).toBeNull())
  })

  it('lists and creates only own keys, of one application at a time', async () => {
    const user = openAccount()
    const keys = await section('Personal keys')
    await heading('No key of yours')
    await user.selectOptions(keys.getByRole('combobox', { name: 'Application' }), 'Search')
    await eventually(() => expect(address()).toBe(`/account?application=${SEARCH.id}`))
    await user.click(keys.getByRole('button', { name: 'New key' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'notebook')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Role' }), 'viewer (read-only)')
    onRequest('POST /api-keys', { ...exampleOf<CreatedApiKey>('CreatedApiKey'), key: 'tsk_secret' })
    await user.click(screen.getByRole('button', { name: 'Create key' }))
    await heading('Save your API key')
    const [created] = requestsOf('POST /api-keys')
    expect(created?.body).toEqual({ name: 'notebook', role: 'viewer', expiresInDays: 90 })
    expect(created?.applicationId).toBe(SEARCH.id)
    expect(new Set(requestsOf('GET /api-keys').map(({ query }) => query['mine']))).toEqual(new Set(['true']))
  })

  it('revokes a key', async () => {
    const user = openAccount()
    const key = { ...exampleOf<ApiKey>('ApiKey'), id: idOf(70), name: 'notebook' }
    onRequest('GET /api-keys', { data: [key] })
    await user.click(await screen.findByRole('button', { name: 'Revoke notebook' }))
    await user.click(await screen.findByRole('button', { name: 'Revoke key' }))
    await eventually(() =>
      expect(requestsOf('DELETE /api-keys/{keyId}').map(({ params }) => params)).toEqual([{ keyId: key.id }]),
    )
  })

  it('is reached by the account menu and, section by section, by the palette', async () => {
    const user = openAccount(inSupport('settings/general'))
    onRequest('GET /me', { ...exampleOf<Me>('Me'), role: 'owner' })
    await heading('General')
    await user.click(screen.getByRole('button', { name: /^Account/ }))
    await user.click(await screen.findByRole('menuitem', { name: 'Account' }))
    await heading('Sessions')
    await user.keyboard('{Control>}k{/Control}')
    await user.type(await screen.findByRole('combobox', { name: 'Find a page or an action' }), 'Appear')
    await user.keyboard('{Enter}')
    await eventually(() => expect(window.location.hash).toBe('#appearance'))
    expect(screen.getByRole('link', { current: 'location' }).textContent).toBe('Appearance')
  })

  it('explains what to do without an application, and retries failed requests', async () => {
    signIn('editor', [])
    onRequest('GET /api/auth/list-sessions', failed(429, 'Too many requests'))
    const user = openPage('/account')
    await heading('No application yet')
    await screen.findByText('Too many requests')
    onRequest('GET /api/auth/list-sessions', { data: [CURRENT] })
    await user.click(screen.getByRole('button', { name: 'Retry' }))
    await screen.findByText('Firefox on Linux')
  })
})

describe('preferences', () => {
  const saved = () => requestsOf('PATCH /me/preferences').map(({ body }) => body)
  const theme = () => document.documentElement.dataset['theme']

  it('saves the theme, the row height and single keys in the account', async () => {
    const user = openAccount()
    let preferences = {}
    onRequest('GET /me/preferences', () => preferences)
    onRequest('PATCH /me/preferences', ({ body }) => (preferences = { ...preferences, ...Object(body) }))
    await user.click(await screen.findByRole('radio', { name: 'Dark' }))
    await user.click(screen.getByRole('radio', { name: 'Compact' }))
    await user.click(screen.getByRole('checkbox', { name: /^Keys without a modifier/ }))
    await eventually(() =>
      expect(saved()).toEqual([{ theme: 'dark' }, { rowDensity: 'compact' }, { singleKeys: 'off' }]),
    )
    expect(theme()).toBe('dark')
    expect(localStorage.getItem('touchstone.row-density')).toBe('compact')
    expect(localStorage.getItem('touchstone.single-keys')).toBe('off')
  })

  it('applies preferences of another device, and ignores those unknown to this release', async () => {
    onRequest('GET /me/preferences', { theme: 'dark', rowDensity: 'huge', singleKeys: 'off', columns: [] })
    openAccount()
    await eventually(() => expect(theme()).toBe('dark'))
    await eventually(() =>
      expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /^Keys without/ }).checked).toBe(false),
    )
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Automatic' }).checked).toBe(true)
    expect(saved()).toEqual([])
  })

  it('saves preferences from the menu of any page', async () => {
    const user = openAccount(inSupport('settings/general'))
    await heading('General')
    await user.click(screen.getByRole('button', { name: /^Account/ }))
    await user.click(await screen.findByRole('menuitemradio', { name: 'Light' }))
    await eventually(() => expect(saved()).toEqual([{ theme: 'light' }]))
  })

  it('says when a choice could not be saved', async () => {
    const user = openAccount()
    onRequest('PATCH /me/preferences', failed(503, 'The database is read-only right now'))
    await user.click(await screen.findByRole('radio', { name: 'Dark' }))
    await screen.findByText('Your choice was not saved in your account. The database is read-only right now')
  })
})
