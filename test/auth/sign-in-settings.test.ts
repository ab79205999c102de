import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { readConfig } from '../../src/config.ts'

const MAIL = { TOUCHSTONE_SMTP_URL: 'smtp://mail.example.com', TOUCHSTONE_SMTP_FROM: 'touchstone@example.com' }
const OIDC = {
  TOUCHSTONE_OIDC_ISSUER: 'https://login.example.com/realms/main',
  TOUCHSTONE_OIDC_CLIENT_ID: 'touchstone',
  TOUCHSTONE_OIDC_CLIENT_SECRET: 'secret',
}

describe('TOUCHSTONE_SMTP_URL', () => {
  it.each([
    ['smtps://mail.example.com', { host: 'mail.example.com', port: 465, encryption: 'tls' }],
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, encryption: 'starttls' }],
    ['smtp://mail.example.com:25?tls=optional', { port: 25, encryption: 'optional' }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, encryption: 'optional' }],
    ['smtp://[::1]:1025', { host: '::1', encryption: 'optional' }],
    ['smtps://ann%40example.com:p%3Ass@mail.example.com', { user: 'ann@example.com', password: 'p:ss' }],
  ])('%s', (url, expected) => {
    expect(readConfig({ ...MAIL, TOUCHSTONE_SMTP_URL: url }).mail).toMatchObject(expected)
  })

  it.each([
    'hunter2.example.org',
    'http://a:hunter2@mail.example.com',
    'smtp://',
    'smtp://a:hunter2@host/path',
    'smtp://a:hunter2@host?secure=false',
    'smtp://a:hunter2%zz@host',
  ])('%s is rejected, and the message does not repeat it', (url) => {
    const read = () => readConfig({ ...MAIL, TOUCHSTONE_SMTP_URL: url })
    expect(read).toThrow(/^TOUCHSTONE_SMTP_URL/)
    expect(read).not.toThrow('hunter2')
  })

  it('needs a sender', () => {
    expect(() => readConfig({ TOUCHSTONE_SMTP_URL: 'smtp://mail.example.com' })).toThrow(/must be set together/)
  })

  it('any text is read or rejected with a message', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((text) => `smtp://${text}`),
        ),
        (url) => {
          try {
            readConfig({ ...MAIL, TOUCHSTONE_SMTP_URL: url })
          } catch (error) {
            expect(error).toBeInstanceOf(AppError)
          }
        },
      ),
    )
  })
})

describe('TOUCHSTONE_SMTP_FROM', () => {
  it.each([
    ['a@example.com', { name: '', address: 'a@example.com' }],
    ['Touchstone <a@example.com>', { name: 'Touchstone', address: 'a@example.com' }],
    ['"Touchstone, Inc." <a@example.com>', { name: 'Touchstone, Inc.', address: 'a@example.com' }],
  ])('%s', (from, expected) => {
    expect(readConfig({ ...MAIL, TOUCHSTONE_SMTP_FROM: from }).mail?.from).toEqual(expected)
  })

  it.each(['Touchstone', 'a@b@c', 'a@example.com, b@example.com', 'x\r\nBcc: b@example.com <a@example.com>', '<>'])(
    '%j is rejected',
    (from) => {
      expect(() => readConfig({ ...MAIL, TOUCHSTONE_SMTP_FROM: from })).toThrow(/TOUCHSTONE_SMTP_FROM/)
    },
  )
})

describe('OpenID Connect', () => {
  it('lets only invited users in by default, of any domain', () => {
    const { oidc, isPasswordLoginAllowed } = readConfig(OIDC)
    expect(oidc).toMatchObject({ newUsers: 'invited', emailDomains: [], name: 'single sign-on' })
    expect(isPasswordLoginAllowed).toBe(true)
  })

  it.each([
    ['an issuer alone', { TOUCHSTONE_OIDC_CLIENT_ID: '' }, /must be set together/],
    ['plain http', { TOUCHSTONE_OIDC_ISSUER: 'http://login.example.com' }, /https address/],
    ['a query', { TOUCHSTONE_OIDC_ISSUER: 'https://login.example.com?x=1' }, /https address/],
    ['no address', { TOUCHSTONE_OIDC_ISSUER: 'login' }, /https address/],
    ['a domain with a wildcard', { TOUCHSTONE_OIDC_EMAIL_DOMAINS: '*.example.com' }, /list of domains/],
    ['an address as a domain', { TOUCHSTONE_OIDC_EMAIL_DOMAINS: 'a@example.com' }, /list of domains/],
    ['all users without domains', { TOUCHSTONE_OIDC_NEW_USERS: 'all' }, /needs TOUCHSTONE_OIDC_EMAIL_DOMAINS/],
    ['other new users', { TOUCHSTONE_OIDC_NEW_USERS: 'some' }, /must be invited or all/],
    ['another word for off', { TOUCHSTONE_PASSWORD_LOGIN: 'false' }, /must be on or off/],
  ])('%s is rejected', (_, change, message) => {
    expect(() => readConfig({ ...OIDC, ...change })).toThrow(message)
  })

  it('is needed to turn passwords off', () => {
    expect(() => readConfig({ TOUCHSTONE_PASSWORD_LOGIN: 'off' })).toThrow(/needs TOUCHSTONE_OIDC_ISSUER/)
    expect(readConfig({ ...OIDC, TOUCHSTONE_PASSWORD_LOGIN: 'off' }).isPasswordLoginAllowed).toBe(false)
  })
})
