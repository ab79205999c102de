import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createOidcClient, ProviderError } from '../../src/auth/oidc/oidc-client.ts'

const CLIENT_ID = 'touchstone'
const SECRET = 'secret: of the client'
const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** What the provider returns in the current test. */
type Behavior = {
  metadata: Record<string, unknown>
  token: (issuer: string) => unknown
  userinfo: unknown
  keys: unknown[]
  redirectTo: string | undefined
}

let server: Server
let issuer = ''
let behavior: Behavior
const tokenRequests: { authorization: string | undefined; body: URLSearchParams }[] = []

beforeAll(async () => {
  server = createServer(async (req, res) => {
    const { pathname } = new URL(req.url ?? '', issuer)
    if (behavior.redirectTo !== undefined && pathname === '/token') {
      res.writeHead(302, { location: behavior.redirectTo }).end()
      return
    }
    if (pathname === '/token')
      tokenRequests.push({ authorization: req.headers.authorization, body: new URLSearchParams(await bodyOf(req)) })
    const responses: Record<string, unknown> = {
      '/.well-known/openid-configuration': { ...defaultMetadata(), ...behavior.metadata },
      '/jwks': { keys: behavior.keys },
      '/token': { access_token: 'access', token_type: 'Bearer', id_token: behavior.token(issuer) },
      '/userinfo': behavior.userinfo,
    }
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(responses[pathname] ?? null))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  issuer = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  tokenRequests.length = 0
  behavior = {
    metadata: {},
    token: () => idToken(),
    userinfo: null,
    keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'own', alg: 'RS256', use: 'sig' }],
    redirectTo: undefined,
  }
})

function defaultMetadata() {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
  }
}

function claimsOf(change: Record<string, unknown> = {}) {
  const now = Math.floor(Date.now() / 1_000)
  const user = { sub: 'user-1', email: 'ann@example.com', email_verified: true, name: 'Ann' }
  return { iss: issuer, aud: CLIENT_ID, exp: now + 300, iat: now, nonce: 'nonce', ...user, ...change }
}

function idToken(change: Record<string, unknown> = {}, key: KeyObject = own.privateKey, header = {}): string {
  const text = [{ alg: 'RS256', kid: 'own', ...header }, claimsOf(change)].map(encoded).join('.')
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const piece of req) text += String(piece)
  return text
}

function redeem(callback: { iss?: string } = {}) {
  const settings = {
    clientId: CLIENT_ID,
    clientSecret: SECRET,
    name: 'ID',
    emailDomains: [],
    newUsers: 'invited',
  } as const
  const client = createOidcClient({ ...settings, issuer }, 'https://touchstone.example/callback', Date.now)
  return client.redeem({ code: 'code', iss: callback.iss }, { nonce: 'nonce', verifier: 'verifier' })
}

describe('the identity of a verified ID token', () => {
  it('has the claims of the token', async () => {
    const identity = { issuer, subject: 'user-1', email: 'ann@example.com', isEmailVerified: true, name: 'Ann' }
    expect(await redeem()).toEqual(identity)
  })

  it('is completed by the user info if the token has no address', async () => {
    behavior.token = () => idToken({ email: undefined, email_verified: undefined })
    behavior.userinfo = { sub: 'user-1', email: 'ann@example.com', email_verified: 'true' }
    expect(await redeem()).toMatchObject({ email: 'ann@example.com', isEmailVerified: true })
  })

  it('is not completed by the user info of another user', async () => {
    behavior.token = () => idToken({ email: undefined })
    behavior.userinfo = { sub: 'user-2', email: 'ann@example.com', email_verified: true }
    await expect(redeem()).rejects.toThrow('another user')
  })

  it.each([
    [{ email_verified: 'false' }, false],
    [{ email_verified: undefined }, false],
    [{ email_verified: 0 }, false],
    [{ email_verified: undefined, xms_edov: '1' }, true],
  ])('%j is a verified address: %s', async (change, isEmailVerified) => {
    behavior.token = () => idToken(change)
    expect(await redeem()).toMatchObject({ isEmailVerified })
  })

  it('has a name in any case, which is not its address', async () => {
    behavior.token = () => idToken({ name: ' \u0007 ' })
    expect(await redeem()).toMatchObject({ name: 'ann' })
    // Microsoft Entra ID sends the address as the user name.
    behavior.token = () => idToken({ name: undefined, preferred_username: 'Ann.Other@example.com' })
    expect(await redeem()).toMatchObject({ name: 'Ann.Other' })
  })
})

describe('an ID token is rejected', () => {
  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1_000) - 60 * minutes

  it.each<[string, () => unknown]>([
    ['signed by another key', () => idToken({}, foreign.privateKey)],
    ['signed by an unknown key', () => idToken({}, foreign.privateKey, { kid: 'foreign' })],
    ['without a signature', () => `${encoded({ alg: 'none' })}.${encoded(claimsOf())}.`],
    [
      'signed with the public key as a secret',
      () => signedWithSecret(String(own.publicKey.export({ type: 'spki', format: 'pem' }))),
    ],
    ['signed with the secret of the client', () => signedWithSecret(SECRET)],
    ['of another issuer', () => idToken({ iss: 'https://evil.example' })],
    ['for another client', () => idToken({ aud: 'other' })],
    ['for several clients, issued to another one', () => idToken({ aud: [CLIENT_ID, 'other'], azp: 'other' })],
    ['for several clients, without saying to which it was issued', () => idToken({ aud: [CLIENT_ID, 'other'] })],
    ['with another nonce', () => idToken({ nonce: 'other' })],
    ['without a nonce', () => idToken({ nonce: undefined })],
    ['that has expired', () => idToken({ exp: minutesAgo(2) })],
    ['that never expires', () => idToken({ exp: undefined })],
    ['without a subject', () => idToken({ sub: undefined })],
    ['with an empty subject', () => idToken({ sub: '' })],
    ['whose subject is no text', () => idToken({ sub: { $ne: 1 } })],
    ['whose address is no text', () => idToken({ email: ['ann@example.com'] })],
    ['that is no token', () => 'x'],
    ['that is missing', () => undefined],
  ])('%s', async (_, token) => {
    behavior.token = token
    await expect(redeem()).rejects.toThrow(ProviderError)
  })

  function signedWithSecret(secret: string): string {
    const text = [{ alg: 'HS256', kid: 'own' }, claimsOf()].map(encoded).join('.')
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
})

describe('the provider', () => {
  it('authenticates the client by Basic, with both parts encoded', async () => {
    await redeem()
    const [request] = tokenRequests
    const pair = Buffer.from(request?.authorization?.slice('Basic '.length) ?? '', 'base64').toString()
    expect(pair).toBe('touchstone:secret%3A+of+the+client')
    expect(Object.fromEntries(request?.body ?? [])).toMatchObject({ code: 'code', code_verifier: 'verifier' })
    expect(request?.body.has('client_secret')).toBe(false)
  })

  it('authenticates the client by the body if it supports nothing else', async () => {
    behavior.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] }
    await redeem()
    expect(tokenRequests[0]?.authorization).toBeUndefined()
    expect(tokenRequests[0]?.body.get('client_secret')).toBe(SECRET)
  })

  it('must have the configured issuer, except for a slash at its end', async () => {
    behavior.metadata = { issuer: 'https://evil.example' }
    await expect(redeem()).rejects.toThrow('its issuer is https://evil.example')
    behavior.metadata = { issuer: `${issuer}/` }
    behavior.token = () => idToken({ iss: `${issuer}/` })
    expect(await redeem()).toMatchObject({ subject: 'user-1' })
  })

  it('must send its issuer if it declares that, and no other one', async () => {
    await expect(redeem({ iss: 'https://evil.example' })).rejects.toThrow('another issuer')
    behavior.metadata = { authorization_response_iss_parameter_supported: true }
    await expect(redeem()).rejects.toThrow('another issuer')
    expect(await redeem({ iss: issuer })).toMatchObject({ subject: 'user-1' })
  })

  it('must not redirect the request with the secret', async () => {
    behavior.redirectTo = `${issuer}/userinfo`
    await expect(redeem()).rejects.toThrow('cannot be read')
  })

  it('must have endpoints', async () => {
    behavior.metadata = { token_endpoint: 'nothing' }
    await expect(redeem()).rejects.toThrow('no valid token_endpoint')
  })
})
