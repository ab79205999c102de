import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import {
  type Certificate,
  createCertificate,
  type MountedCertificate,
  mountCertificate,
} from '../harness/certificate.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'
import { PASSWORD } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'

const KEY = 'a-key-of-the-tests-that-is-long-enough'
const EMAIL = 'ann@example.com'
const closing: (() => Promise<void> | void)[] = []
const mounts: MountedCertificate[] = []

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})
afterAll(() => {
  for (const mounted of mounts) mounted.remove()
})

function mount(certificate: Certificate): MountedCertificate {
  const mounted = mountCertificate(certificate)
  mounts.push(mounted)
  return mounted
}

async function start(environment: Record<string, string>) {
  const database = await createTestDatabase('sqlite', 'migrated')
  closing.push(() => database.remove())
  const { log, logged } = collectingLog('info')
  const config = readConfig({
    DATABASE_URL: database.url,
    PORT: String(await freePort()),
    TOUCHSTONE_OTLP_GRPC_PORT: String(await freePort()),
    TOUCHSTONE_API_KEY: KEY,
    TOUCHSTONE_ADMIN_EMAIL: EMAIL,
    TOUCHSTONE_ADMIN_PASSWORD: PASSWORD,
    ...environment,
  })
  const app = await startApp({ config, serves: true, works: false, log, tlsPollMs: 20 })
  closing.push(() => app.close())
  return { app, logged }
}

async function startWith(certificate: Certificate, environment: Record<string, string> = {}) {
  const mounted = mount(certificate)
  const files = { TOUCHSTONE_TLS_CERT: mounted.certFile, TOUCHSTONE_TLS_KEY: mounted.keyFile }
  return { ...(await start({ ...files, ...environment })), mounted }
}

type Sent = { method?: string; body?: unknown; headers?: Record<string, string>; agent?: Agent }

/** Trusts only this certificate. */
function send(app: App, { cert }: Certificate, path: string, { method = 'GET', body, headers = {}, agent }: Sent = {}) {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; port: number | undefined }>(
    (resolve, reject) => {
      const options = { method, ca: cert, headers: { ...type, ...headers }, agent: agent ?? false }
      const sent = request(`${app.url}${path}`, options, (response) => {
        const { statusCode = 0, headers } = response
        const port = response.socket.localPort
        response.resume().on('end', () => resolve({ status: statusCode, headers, port }))
      })
      sent.on('error', reject)
      sent.end(body === undefined ? undefined : JSON.stringify(body))
    },
  )
}

function exportTraces(app: App, { cert }: Certificate, key = KEY): Promise<number> {
  const client = new Client(new URL(app.grpcUrl ?? '').host, credentials.createSsl(cert))
  closing.push(() => client.close())
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${key}`)
  const same = (bytes: Buffer) => bytes
  const path = '/opentelemetry.proto.collector.trace.v1.TraceService/Export'
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), metadata, (error: ServiceError | null) =>
      resolve(error?.code ?? status.OK),
    )
  })
}

/** The certificate that a server shows to a new client. */
function shownBy(url: string): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const options = { host: hostname, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] }
    const socket = connect(options, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? '')
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

const fingerprintOf = ({ cert }: Certificate) => new X509Certificate(cert).fingerprint256

describe('TLS', () => {
  it('serves HTTP and gRPC with the certificate, under https addresses', async () => {
    const certificate = createCertificate()
    const { app } = await startWith(certificate)
    expect(app.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    expect(app.grpcUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const authorization = `Bearer ${KEY}`
    const workspace = await send(app, certificate, '/api/v1/workspace', { headers: { authorization } })
    expect(workspace.status).toBe(200)
    expect(workspace.headers['strict-transport-security']).toBe('max-age=31536000')
    expect(await exportTraces(app, certificate)).toBe(status.OK)
    expect(await exportTraces(app, certificate, 'wrong')).toBe(status.UNAUTHENTICATED)
  })

  it('restricts cookies to https and this host, and accepts requests of its own origin', async () => {
    const certificate = createCertificate()
    const { app } = await startWith(certificate)
    for (const host of [new URL(app.url).host, `localhost:${new URL(app.url).port}`]) {
      const sent = { method: 'POST', body: { email: EMAIL, password: PASSWORD } }
      const headers = { host, origin: `https://${host}` }
      const signedIn = await send(app, certificate, '/api/auth/sign-in/email', { ...sent, headers })
      expect(signedIn.status).toBe(200)
      const cookies = [signedIn.headers['set-cookie'] ?? []].flat()
      expect(cookies.some((cookie) => cookie.startsWith('__Host-session='))).toBe(true)
      for (const cookie of cookies) expect(cookie).toMatch(/; Secure/)
      const foreign = { host, origin: 'https://evil.example' }
      expect((await send(app, certificate, '/api/auth/sign-in/email', { ...sent, headers: foreign })).status).toBe(403)
    }
  })

  it('does not respond to plain HTTP', async () => {
    const { app } = await startWith(createCertificate())
    await expect(fetch(app.url.replace('https:', 'http:'))).rejects.toThrow()
  })

  it('shows a renewed certificate to new connections, and keeps the open ones', async () => {
    const [first, second] = [createCertificate(), createCertificate()]
    const { app, mounted, logged } = await startWith(first)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    closing.push(() => agent.destroy())
    const before = await send(app, first, '/health', { agent })
    const addresses = [app.url, app.grpcUrl ?? '']
    for (const url of addresses) expect(await shownBy(url)).toBe(fingerprintOf(first))
    mounted.replace(second)
    for (const url of addresses) await until(async () => expect(await shownBy(url)).toBe(fingerprintOf(second)))
    const after = await send(app, first, '/health', { agent })
    expect(after).toMatchObject({ status: 200, port: before.port })
    await expect(send(app, first, '/health')).rejects.toThrow()
    expect((await send(app, second, '/health')).status).toBe(200)
    expect(await exportTraces(app, second)).toBe(status.OK)
    expect(logged.join()).toContain('the TLS certificate was read again')
  })

  it('keeps the certificate if the new files are broken or do not belong together, and reports it', async () => {
    const [first, second] = [createCertificate(), createCertificate()]
    const { app, mounted, logged } = await startWith(first)
    const failures = () => logged.filter((line) => line.includes('the new TLS certificate cannot be used')).length
    const broken = [
      { cert: second.cert, key: first.key },
      { cert: Buffer.from('nothing'), key: first.key },
      { cert: second.cert, key: Buffer.alloc(0) },
    ]
    for (const [index, pair] of broken.entries()) {
      mounted.replace(pair)
      await until(() => expect(failures()).toBeGreaterThan(index))
      expect(await shownBy(app.url)).toBe(fingerprintOf(first))
    }
    mounted.replace(second)
    await until(async () => expect(await shownBy(app.url)).toBe(fingerprintOf(second)))
  })

  it('connections that never finish the handshake do not end requests in progress', async () => {
    const certificate = createCertificate()
    const { app } = await startWith(certificate, { TOUCHSTONE_CONNECTIONS_PER_ADDRESS_MAX: '3' })
    const headers = { authorization: `Bearer ${KEY}` }
    const events = await new Promise<{ isOpen(): boolean }>((resolve, reject) => {
      let isOpen = true
      const sent = request(`${app.url}/api/v1/events`, { ca: certificate.cert, headers, agent: false }, (response) => {
        response.once('data', () => resolve({ isOpen: () => isOpen }))
        response.on('close', () => {
          isOpen = false
        })
      })
      sent.on('error', reject)
      sent.end()
      closing.push(() => void sent.destroy())
    })
    const { hostname, port } = new URL(app.url)
    const closed: Socket[] = []
    for (let count = 0; count < 6; count += 1) {
      const socket = connectTcp(Number(port), hostname)
      socket.on('error', () => {})
      socket.on('close', () => closed.push(socket))
      closing.push(() => void socket.destroy())
    }
    await until(() => expect(closed.length).toBeGreaterThanOrEqual(4))
    expect(events.isOpen()).toBe(true)
  })
})

describe('TLS files that cannot be used', () => {
  let files: Record<'missing' | 'cert' | 'key' | 'otherKey' | 'garbage', string>
  beforeAll(() => {
    const { certFile: cert, keyFile: key } = mount(createCertificate())
    const { keyFile: otherKey } = mount(createCertificate())
    const { certFile: garbage } = mount({ cert: Buffer.from('x'), key: Buffer.from('x') })
    files = { missing: '/does/not/exist', cert, key, otherKey, garbage }
  })

  it.each([
    ['a certificate that does not exist', 'missing', 'key', /TOUCHSTONE_TLS_CERT .* cannot be read/],
    ['a key that does not exist', 'cert', 'missing', /TOUCHSTONE_TLS_KEY .* cannot be read/],
    ['a certificate in another format', 'garbage', 'key', /TOUCHSTONE_TLS_CERT .* is not a PEM certificate/],
    ['a key in another format', 'cert', 'garbage', /TOUCHSTONE_TLS_KEY .* is not the unencrypted PEM key/],
    ['the key of another certificate', 'cert', 'otherKey', /TOUCHSTONE_TLS_KEY .* is not the unencrypted PEM key/],
  ] as const)('%s prevents the start with a message', async (_, cert, key, message) => {
    const starting = start({ TOUCHSTONE_TLS_CERT: files[cert], TOUCHSTONE_TLS_KEY: files[key] })
    await expect(starting).rejects.toThrow(message)
  })

  it('one file without the other, or an http address for users, prevents the start', async () => {
    const { cert, key } = files
    await expect(start({ TOUCHSTONE_TLS_CERT: cert })).rejects.toThrow(/must be set together/)
    const both = { TOUCHSTONE_TLS_CERT: cert, TOUCHSTONE_TLS_KEY: key }
    await expect(start({ ...both, TOUCHSTONE_PUBLIC_URL: 'http://example.com' })).rejects.toThrow(/https:/)
  })

  it('files that are written in place are read again, too', async () => {
    const own = mount(createCertificate())
    const { app } = await start({ TOUCHSTONE_TLS_CERT: own.certFile, TOUCHSTONE_TLS_KEY: own.keyFile })
    const next = createCertificate()
    writeFileSync(own.keyFile, next.key)
    writeFileSync(own.certFile, next.cert)
    await until(async () => expect(await shownBy(app.url)).toBe(fingerprintOf(next)))
  })
})
