import { generateKeyPairSync } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { Provider } from 'oidc-provider'
import { freePort } from './free-port.ts'

export const CLIENT = { id: 'touchstone', secret: 'a secret with: special characters & more' }

/** A user of the provider. `sub` is what never changes. */
export type ProviderUser = { sub: string; email: string; email_verified: boolean; name: string }

export type IdentityProvider = {
  issuer: string
  /** Who is sitting at the provider's page. */
  user: ProviderUser
  close(): Promise<void>
}

/** A real OpenID Connect provider, whose page has one button: it signs `user` in. */
export async function startIdentityProvider(redirectUri: string): Promise<IdentityProvider> {
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const started: IdentityProvider = {
    issuer,
    user: { sub: 'nobody', email: 'nobody@example.com', email_verified: false, name: 'Nobody' },
    close: () => closeServer(server),
  }
  const users = new Map<string, ProviderUser>()
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    // Without these it prints a notice for each.
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    cookies: { keys: ['a key of the test'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' }] },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => users.get(sub) ?? { sub } }),
    // The client belongs to the company: nothing is asked.
    async loadExistingGrant({ oidc }: { oidc: { client: { clientId: string }; session: { accountId: string } } }) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })
  const handle = provider.callback()
  const server = createServer((req, res) => {
    if (!req.url?.startsWith('/interaction/')) return void handle(req, res)
    if (req.method === 'GET') {
      res.setHeader('content-type', 'text/html')
      res.end(`<!doctype html><html lang="en"><title>Provider</title><link rel="icon" href="data:,">
        <form method="post"><button>Continue</button></form></html>`)
      return
    }
    users.set(started.user.sub, started.user)
    void provider.interactionFinished(req, res, { login: { accountId: started.user.sub, remember: false } })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return started
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise<void>((resolve) => server.close(() => resolve()))
}
