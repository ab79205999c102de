/** A client of one OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
import { createHash } from 'node:crypto'
import type { JWTVerifyGetKey } from 'jose'
import type { OidcSettings } from '../../sign-in-config.ts'
import { asRecord } from '../sign-in/auth-requests.ts'

/** Claims of a verified ID token. */
export type OidcIdentity = { issuer: string; subject: string; email: string; isEmailVerified: boolean; name: string }

/** The secrets of one sign-in, of which the provider sees only `state`, `nonce` and a hash of `verifier`. */
type OidcSecrets = { state: string; nonce: string; verifier: string }

export type OidcClient = {
  authorizationUrl(secrets: OidcSecrets): Promise<string>
  /** Exchanges the code for tokens and verifies them. */
  redeem(
    callback: { code: string; iss: string | undefined },
    secrets: Omit<OidcSecrets, 'state'>,
  ): Promise<OidcIdentity>
}

/** The provider did not respond, or not as it must. The message is for the log. */
export class ProviderError extends Error {}

/** What discovery returns (OpenID Connect Discovery 1.0, section 3), as far as it is used. */
type Metadata = {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  jwksUri: string
  userinfoEndpoint: string | undefined
  algorithms: string[]
  authMethod: 'basic' | 'post'
  sendsIssuer: boolean
}

const TIMEOUT_MS = 10_000
const METADATA_MS = 60 * 60 * 1_000
const SCOPE = 'openid email profile'

export function createOidcClient(settings: OidcSettings, redirectUri: string, now: () => number): OidcClient {
  const { clientId } = settings
  let known: { metadata: Metadata; readAt: number } | undefined
  let keys: JWTVerifyGetKey | undefined

  /** Read when it is needed, so that the server also starts while the provider is down. */
  async function discover(): Promise<Metadata> {
    if (known && now() - known.readAt < METADATA_MS) return known.metadata
    const base = settings.issuer.replace(/\/$/, '')
    const metadata = readMetadata(settings.issuer, await getJson(`${base}/.well-known/openid-configuration`))
    known = { metadata, readAt: now() }
    keys = undefined
    return metadata
  }

  async function fetchTokens(metadata: Metadata, code: string, verifier: string) {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    })
    const headers = new Headers()
    if (metadata.authMethod === 'basic') headers.set('authorization', basicOf(settings))
    else {
      body.set('client_id', clientId)
      body.set('client_secret', settings.clientSecret)
    }
    return getJson(metadata.tokenEndpoint, { method: 'POST', headers, body })
  }

  async function verifyIdToken(metadata: Metadata, idToken: string, nonce: string): Promise<Record<string, unknown>> {
    // Loaded by the first sign-in.
    const { createRemoteJWKSet, jwtVerify } = await import('jose')
    const { issuer, algorithms, jwksUri } = metadata
    // Without a pause between reads, because a provider may sign with a new key at any time.
    keys ??= createRemoteJWKSet(new URL(jwksUri), { timeoutDuration: TIMEOUT_MS, cooldownDuration: 0 })
    const verified = await jwtVerify(idToken, keys, {
      issuer,
      audience: clientId,
      algorithms,
      clockTolerance: 60,
      requiredClaims: ['exp', 'iat', 'sub'],
    }).catch((error: unknown) => {
      throw new ProviderError('the ID token is invalid', { cause: error })
    })
    const claims = verified.payload
    if (claims.nonce !== nonce) throw new ProviderError('the ID token has another nonce')
    // With several audiences, the token must have been issued for this client (OpenID Connect Core 1.0, section 3.1.3.7).
    const isForOthers = Array.isArray(claims.aud) && claims.aud.length > 1
    if ((isForOthers || claims.azp !== undefined) && claims.azp !== clientId)
      throw new ProviderError('the ID token was issued for another client')
    return claims
  }

  /** Some providers put the address only there. */
  async function fetchUserinfo({ userinfoEndpoint }: Metadata, accessToken: unknown, subject: unknown) {
    if (userinfoEndpoint === undefined || typeof accessToken !== 'string') return {}
    const claims = await getJson(userinfoEndpoint, { headers: { authorization: `Bearer ${accessToken}` } })
    if (claims.sub !== subject) throw new ProviderError('the user info is about another user')
    return claims
  }

  return {
    async authorizationUrl({ state, nonce, verifier }) {
      const url = new URL((await discover()).authorizationEndpoint)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return url.href
    },

    async redeem({ code, iss }, { nonce, verifier }) {
      const metadata = await discover()
      // Another provider may have sent the browser here, to get a code of this one (RFC 9207).
      if (iss === undefined ? metadata.sendsIssuer : iss !== metadata.issuer)
        throw new ProviderError('the response is from another issuer')
      const tokens = await fetchTokens(metadata, code, verifier)
      if (typeof tokens.id_token !== 'string') throw new ProviderError('the provider returned no ID token')
      const idClaims = await verifyIdToken(metadata, tokens.id_token, nonce)
      const hasEmail = typeof idClaims.email === 'string'
      const more = hasEmail ? {} : await fetchUserinfo(metadata, tokens.access_token, idClaims.sub)
      return readIdentity(metadata.issuer, { ...more, ...idClaims })
    },
  }
}

async function getJson(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  try {
    const headers = new Headers(init.headers)
    headers.set('accept', 'application/json')
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { ...init, headers, redirect: 'error', signal })
    const body: unknown = await response.json()
    if (response.ok) return asRecord(body)
    throw new ProviderError(`${new URL(url).pathname} responded with ${response.status}`, {
      cause: asRecord(body).error,
    })
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError(`${url} cannot be read`, { cause: error })
  }
}

function readMetadata(issuer: string, body: Record<string, unknown>): Metadata {
  // Providers and documents differ in the last slash; tokens have what the provider writes.
  const found = String(body.issuer)
  if (found.replace(/\/$/, '') !== issuer.replace(/\/$/, ''))
    throw new ProviderError(`the provider says that its issuer is ${found}, not ${issuer}`)
  const endpoint = (name: string) => {
    const url = URL.parse(String(body[name]))
    // Plain http only if the issuer itself is on this machine.
    if (url && (url.protocol === 'https:' || issuer.startsWith('http:'))) return url.href
    throw new ProviderError(`the provider has no valid ${name}`)
  }
  const methods = body.token_endpoint_auth_methods_supported
  return {
    issuer: found,
    authorizationEndpoint: endpoint('authorization_endpoint'),
    tokenEndpoint: endpoint('token_endpoint'),
    jwksUri: endpoint('jwks_uri'),
    userinfoEndpoint: body.userinfo_endpoint === undefined ? undefined : endpoint('userinfo_endpoint'),
    algorithms: SIGNATURES.filter((name) => textsOf(body.id_token_signing_alg_values_supported).includes(name)),
    // The default is `client_secret_basic`.
    authMethod: methods === undefined || textsOf(methods).includes('client_secret_basic') ? 'basic' : 'post',
    sendsIssuer: body.authorization_response_iss_parameter_supported === true,
  }
}

/** Public keys only: with a shared secret, everyone who knows the secret could sign tokens. */
const SIGNATURES = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

/** Both parts are form-encoded first (RFC 6749, section 2.3.1). */
function basicOf({ clientId, clientSecret }: OidcSettings): string {
  const encoded = [clientId, clientSecret].map((text) => new URLSearchParams({ x: text }).toString().slice(2)).join(':')
  return `Basic ${Buffer.from(encoded).toString('base64')}`
}

function readIdentity(issuer: string, claims: Record<string, unknown>): OidcIdentity {
  const { sub, email, name, preferred_username: userName } = claims
  if (typeof sub !== 'string' || sub === '' || sub.length > 255) throw new ProviderError('the ID token has no subject')
  if (typeof email !== 'string') throw new ProviderError('the provider returned no e-mail address')
  // The user name of Microsoft Entra ID is an address, which must not become a name that others see.
  const names = [name, userName, email]
    .filter((text) => typeof text === 'string')
    .map((text) => cleaned(/^\S+@\S+$/.test(text.trim()) ? text.trim().slice(0, text.trim().indexOf('@')) : text))
  return {
    issuer,
    subject: sub,
    email,
    // The second is what Microsoft Entra ID sends instead of the standard claim.
    isEmailVerified: [claims.email_verified, claims.xms_edov].some((claim) => TRUE.has(claim)),
    name: names.find((text) => text !== '') ?? '',
  }
}

function cleaned(name: string): string {
  return name
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, NAME_LENGTH_MAX)
}

/** Some providers send claims as text. */
const TRUE = new Set<unknown>([true, 'true', '1', 1])
const NAME_LENGTH_MAX = 200
