import { screen, within } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { failed, onRequest, requestsOf } from './mock-api.ts'
import { address, eventually, heading, openPage, SUPPORT, signIn } from './open-page.ts'

const SETUP = {
  totpUri: 'otpauth://totp/Touchstone:ada%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=Touchstone&digits=6&period=30',
  recoveryCodes: ['aaaaa-11111', 'bbbbb-22222'],
}

describe('second factor of the account', () => {
  function openAccount(recoveryCodesLeft?: number) {
    signIn('editor')
    const isEnabled = recoveryCodesLeft !== undefined
    onRequest('GET /api/auth/two-factor', { isEnabled, recoveryCodesLeft: recoveryCodesLeft ?? 0, hasPassword: true })
    onRequest('GET /api/auth/list-sessions', { data: [] })
    onRequest('GET /api-keys', { data: [] })
    return openPage('/account#second-factor')
  }

  it('is turned on with the password and a first code, and shows the recovery codes', async () => {
    const user = openAccount()
    await user.click(await screen.findByRole('button', { name: 'Turn on…' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByLabelText('Your password'), 'my password')
    onRequest('POST /api/auth/two-factor/enable', SETUP)
    await user.click(dialog.getByRole('button', { name: 'Continue' }))
    expect((await dialog.findByRole('status', { name: 'Secret' })).textContent).toBe('JBSWY3DPEHPK3PXP')
    expect(dialog.getByRole('img', { name: 'QR code for your authenticator app' }).querySelector('path')).toBeTruthy()
    expect(dialog.queryByText('aaaaa-11111')).toBeNull()
    onRequest('POST /api/auth/two-factor/confirm', failed(400, 'The code is wrong or was used before'))
    await user.type(dialog.getByRole('textbox', { name: 'Code of the app' }), '123456')
    await user.click(dialog.getByRole('button', { name: 'Turn on' }))
    await dialog.findByText('The code is wrong or was used before')
    onRequest('POST /api/auth/two-factor/confirm', {})
    onRequest('GET /api/auth/two-factor', { isEnabled: true, recoveryCodesLeft: 10, hasPassword: true })
    await user.click(dialog.getByRole('button', { name: 'Turn on' }))
    await heading('Save your recovery codes')
    expect(dialog.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual(SETUP.recoveryCodes)
    const file = dialog.getByRole('link', { name: 'Download' }).getAttribute('href')
    expect(decodeURIComponent(file ?? '')).toContain('aaaaa-11111\nbbbbb-22222\n')
    await user.click(dialog.getByRole('button', { name: 'I have saved them' }))
    await screen.findByText('10 recovery codes are left.')
  })

  it('is turned off with the password', async () => {
    const user = openAccount(2)
    await screen.findByText('2 recovery codes are left. Create new ones soon.')
    await user.click(screen.getByRole('button', { name: 'Turn off…' }))
    await user.type(await screen.findByLabelText('Your password'), 'my password')
    await user.click(screen.getByRole('button', { name: 'Turn off' }))
    await screen.findByText(/^The second factor is off/)
    expect(requestsOf('POST /api/auth/two-factor/disable').map(({ body }) => body)).toEqual([
      { password: 'my password' },
    ])
  })

  it('gets new recovery codes', async () => {
    const user = openAccount(0)
    await screen.findByText(/^No recovery code is left/)
    await user.click(screen.getByRole('button', { name: 'New recovery codes…' }))
    await user.type(await screen.findByLabelText('Your password'), 'my password')
    onRequest('POST /api/auth/two-factor/recovery-codes', { recoveryCodes: ['ccccc-33333'] })
    await user.click(screen.getByRole('button', { name: 'Create codes' }))
    await screen.findByText('ccccc-33333')
  })
})

describe('signing in with a second factor', () => {
  async function enterPassword() {
    onRequest('GET /api/auth/get-session', null)
    onRequest('POST /api/auth/sign-in/email', { secondFactor: 'required', challenge: 'pending' })
    const user = openPage('/sign-in?next=/account')
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), 'ada@example.com')
    await user.type(screen.getByLabelText('Password'), 'my password')
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    await heading('Second factor')
    return user
  }

  const sent = () => requestsOf('POST /api/auth/two-factor/verify').map(({ body }) => body)

  it('asks for a code after the password, and then continues', async () => {
    const user = await enterPassword()
    const code = screen.getByRole('textbox', { name: 'Code' })
    expect(document.activeElement).toBe(code)
    onRequest('POST /api/auth/two-factor/verify', failed(401, 'The code is wrong or was used before'))
    await user.type(code, '000000{Enter}')
    await screen.findByText('The code is wrong or was used before')
    expect(address()).toBe('/sign-in?next=/account')
    onRequest('POST /api/auth/two-factor/verify', {})
    onRequest('GET /api/auth/list-sessions', { data: [] })
    onRequest('GET /api-keys', { data: [] })
    signIn('owner', [SUPPORT])
    await user.clear(code)
    await user.click(screen.getByRole('checkbox', { name: 'Do not ask on this device for 30 days' }))
    await user.type(code, '123 456{Enter}')
    await eventually(() => expect(address()).toBe('/account'))
    expect(sent()).toEqual([
      { challenge: 'pending', code: '000000', trustDevice: 'false' },
      { challenge: 'pending', code: '123 456', trustDevice: 'true' },
    ])
  })

  it('takes a recovery code instead', async () => {
    const user = await enterPassword()
    await user.click(screen.getByRole('button', { name: 'Use a recovery code' }))
    onRequest('POST /api/auth/two-factor/verify', failed(429, 'Too many attempts', { 'Retry-After': '4' }))
    await user.type(screen.getByRole('textbox', { name: 'Recovery code' }), 'aaaaa-11111{Enter}')
    await screen.findByText('You can try again in 4 seconds.')
    expect(sent()).toEqual([{ challenge: 'pending', code: 'aaaaa-11111', trustDevice: 'false' }])
  })

  it('returns to the password when the sign-in has expired', async () => {
    const user = await enterPassword()
    onRequest('POST /api/auth/two-factor/verify', failed(400, 'This sign-in has expired; enter your password again'))
    await user.type(screen.getByRole('textbox', { name: 'Code' }), '123456{Enter}')
    await user.click(await screen.findByRole('button', { name: 'Enter the password again' }))
    await heading('Sign in')
    expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
  })
})
