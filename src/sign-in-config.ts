/** The settings of TLS, e-mail and OpenID Connect. */
import { AppError } from './base/errors.ts'

export type SignInConfig = {
  /** PEM files; undefined serves plain HTTP. */
  tls: TlsFiles | undefined
  /** Undefined sends no e-mail. */
  mail: MailSettings | undefined
  /** Undefined means that users sign in with passwords only. */
  oidc: OidcSettings | undefined
  /** False leaves OpenID Connect as the only way to sign in. */
  isPasswordLoginAllowed: boolean
}

type TlsFiles = { certFile: string; keyFile: string }

export type MailSettings = {
  host: string
  port: number
  /** From the first byte (`smtps:`), by STARTTLS, or by STARTTLS if the server offers it. */
  encryption: 'tls' | 'starttls' | 'optional'
  user: string | undefined
  password: string | undefined
  from: { name: string; address: string }
}

export type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The text of the button. */
  name: string
  /** Lower-case; empty allows every domain. */
  emailDomains: readonly string[]
  /** Who may sign in without an account: users with an open invitation, or all that the provider and the domains allow. */
  newUsers: 'invited' | 'all'
}

export const SIGN_IN_NAMES = [
  'TOUCHSTONE_TLS_CERT',
  'TOUCHSTONE_TLS_KEY',
  'TOUCHSTONE_SMTP_URL',
  'TOUCHSTONE_SMTP_FROM',
  'TOUCHSTONE_OIDC_ISSUER',
  'TOUCHSTONE_OIDC_CLIENT_ID',
  'TOUCHSTONE_OIDC_CLIENT_SECRET',
  'TOUCHSTONE_OIDC_NAME',
  'TOUCHSTONE_OIDC_EMAIL_DOMAINS',
  'TOUCHSTONE_OIDC_NEW_USERS',
  'TOUCHSTONE_PASSWORD_LOGIN',
] as const

type Settings = {
  text(name: (typeof SIGN_IN_NAMES)[number]): string | undefined
  list(name: (typeof SIGN_IN_NAMES)[number]): string[]
}

export function readSignInConfig(settings: Settings): SignInConfig {
  const oidc = oidcSettings(settings)
  const passwordLogin = settings.text('TOUCHSTONE_PASSWORD_LOGIN') ?? 'on'
  if (passwordLogin !== 'on' && passwordLogin !== 'off') throw wrong('TOUCHSTONE_PASSWORD_LOGIN must be on or off')
  if (passwordLogin === 'off' && !oidc)
    throw wrong('TOUCHSTONE_PASSWORD_LOGIN=off needs TOUCHSTONE_OIDC_ISSUER; otherwise no one could sign in')
  return {
    tls: tlsFiles(settings),
    mail: mailSettings(settings),
    oidc,
    isPasswordLoginAllowed: passwordLogin === 'on',
  }
}

function tlsFiles(settings: Settings): TlsFiles | undefined {
  const certFile = settings.text('TOUCHSTONE_TLS_CERT')
  const keyFile = settings.text('TOUCHSTONE_TLS_KEY')
  if (certFile === undefined && keyFile === undefined) return undefined
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile }
  throw wrong('TOUCHSTONE_TLS_CERT and TOUCHSTONE_TLS_KEY must be set together')
}

const SMTP_URL_FORMAT =
  'TOUCHSTONE_SMTP_URL must be an address such as smtps://user:password@mail.example.com or smtp://mail.example.com:587; special characters of the password are percent-encoded'

function mailSettings(settings: Settings): MailSettings | undefined {
  const text = settings.text('TOUCHSTONE_SMTP_URL')
  const from = settings.text('TOUCHSTONE_SMTP_FROM')
  if (text === undefined && from === undefined) return undefined
  if (text === undefined || from === undefined)
    throw wrong('TOUCHSTONE_SMTP_URL and TOUCHSTONE_SMTP_FROM must be set together')
  const url = URL.parse(text)
  // The value may have a password, so it is not repeated in the message.
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || !/^\/?$/.test(url.pathname) || url.hash !== '')
    throw wrong(SMTP_URL_FORMAT)
  if (url.search !== '' && url.search !== '?tls=optional')
    throw wrong('TOUCHSTONE_SMTP_URL has an unknown parameter; the only one is ?tls=optional')
  const isImplicit = url.protocol === 'smtps:'
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isImplicit ? 465 : 587) : Number(url.port),
    encryption: isImplicit ? 'tls' : url.search !== '' || isLoopback(url.hostname) ? 'optional' : 'starttls',
    user: url.username === '' ? undefined : decoded(url.username),
    password: url.password === '' ? undefined : decoded(url.password),
    from: sender(from),
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw wrong(SMTP_URL_FORMAT)
  }
}

/** `name@example.com` or `Touchstone <name@example.com>`. */
function sender(text: string): MailSettings['from'] {
  const [, name = '', inBrackets] = /^"?([^"<>\p{C}]*?)"?\s*<([^<>]*)>$/u.exec(text) ?? []
  const address = inBrackets ?? text
  if (/^[^\s@<>",;:\p{C}]+@[^\s@<>",;:\p{C}]+$/u.test(address)) return { name: name.trim(), address }
  throw wrong('TOUCHSTONE_SMTP_FROM must be an address such as Touchstone <touchstone@example.com>')
}

function oidcSettings(settings: Settings): OidcSettings | undefined {
  const issuer = settings.text('TOUCHSTONE_OIDC_ISSUER')
  const clientId = settings.text('TOUCHSTONE_OIDC_CLIENT_ID')
  const clientSecret = settings.text('TOUCHSTONE_OIDC_CLIENT_SECRET')
  const name = settings.text('TOUCHSTONE_OIDC_NAME')
  const emailDomains = settings.list('TOUCHSTONE_OIDC_EMAIL_DOMAINS').map((domain) => domain.toLowerCase())
  const newUsers = settings.text('TOUCHSTONE_OIDC_NEW_USERS')
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    const others = [issuer, clientId, clientSecret, name, newUsers, ...emailDomains]
    if (others.every((value) => value === undefined)) return undefined
    throw wrong(
      'TOUCHSTONE_OIDC_ISSUER, TOUCHSTONE_OIDC_CLIENT_ID and TOUCHSTONE_OIDC_CLIENT_SECRET must be set together',
    )
  }
  const invalid = emailDomains.find((domain) => !/^([a-z0-9-]+\.)+[a-z0-9-]+$/.test(domain))
  if (invalid !== undefined)
    throw wrong(
      `TOUCHSTONE_OIDC_EMAIL_DOMAINS must be a list of domains such as example.com,example.org, not ${JSON.stringify(invalid)}`,
    )
  if (newUsers !== undefined && newUsers !== 'invited' && newUsers !== 'all')
    throw wrong(`TOUCHSTONE_OIDC_NEW_USERS must be invited or all, not ${JSON.stringify(newUsers)}`)
  if (newUsers === 'all' && emailDomains.length === 0)
    throw wrong(
      'TOUCHSTONE_OIDC_NEW_USERS=all needs TOUCHSTONE_OIDC_EMAIL_DOMAINS: public providers have users of any domain',
    )
  return {
    issuer: issuerUrl(issuer),
    clientId,
    clientSecret,
    name: (name ?? 'single sign-on').slice(0, 100),
    emailDomains,
    newUsers: newUsers ?? 'invited',
  }
}

/** As the provider writes it: the issuer in its tokens must be the same text. */
function issuerUrl(text: string): string {
  const url = URL.parse(text)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSecure && url.search === '' && url.hash === '' && url.username === '') return text
  throw wrong(
    'TOUCHSTONE_OIDC_ISSUER must be an https address without a query, such as https://login.example.com/realms/main',
  )
}

function wrong(message: string): AppError {
  return new AppError(500, message)
}
