/**
 * Protects against server-side request forgery (SSRF): users who may enter a URL could otherwise make the server call targets that only
 * the server can reach: itself, its network, the metadata service of its machine.
 *
 * A URL is checked when it is stored and again at every connection, because a name may resolve to another address later. A connection
 * uses exactly the addresses that were checked and does not resolve the name again.
 */
import { lookup as lookUp } from 'node:dns/promises'
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { isIP, type LookupFunction, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type AppError, badRequest, unavailable } from '../base/errors.ts'
import { addressKind } from './address-kinds.ts'
import { type AllowList, hostKey, readAllowList } from './allow-list.ts'

export type Egress = {
  /**
   * Returns the normalized URL if it is allowed. Otherwise throws 400 with the reason and the setting that allows it, or 503 if the host
   * name cannot be resolved.
   */
  check(url: string): Promise<URL>
  /**
   * For requests to such a URL. Every connection resolves and checks the host again and connects to exactly the checked addresses. If it
   * is not allowed, it fails with the error of `check` before a packet is sent. The caller must reject redirects.
   */
  agentFor(url: URL): HttpAgent
}

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

export type EgressOptions = {
  /** Allowed targets that are not public or do not use HTTPS: names, addresses and networks, with or without a port. */
  allowed: readonly string[]
  resolve?: Resolve
  /** The timeout of a DNS lookup. */
  timeoutMs?: number
}

const URL_LENGTH_MAX = 2_000
const HTTPS_PORT = 443
const SECRET_NAME = /key|token|secret|password|signature|auth/i

/** Names of cloud metadata services. They resolve to addresses that are rejected, some also to others. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]

export function createEgress({ allowed, resolve = resolveAll, timeoutMs = 5_000 }: EgressOptions): Egress {
  const allowList = readAllowList(allowed)

  async function checkedAddresses(target: Target) {
    // Before the lookup, so that the error does not reveal whether these names exist here.
    if (METADATA_NAMES.includes(target.host)) throw badRequest(`The host ${target.host} is not allowed`)
    const addresses = await addressesOf(target.host, resolve, timeoutMs)
    for (const { address } of addresses) checkAddress(target, address, allowList)
    return addresses
  }

  const https = guardAgent(new HttpsAgent({ keepAlive: true }), 'https:', checkedAddresses)
  const http = guardAgent(new HttpAgent({ keepAlive: true }), 'http:', checkedAddresses)
  return {
    async check(text) {
      const url = readUrl(text)
      const target = targetOf(url.protocol, url.hostname, url.port)
      if ((await checkedAddresses(target)).length === 0) throw hostNotFound(target)
      return url
    },
    agentFor: (url) => (url.protocol === 'https:' ? https : http),
  }
}

function readUrl(text: string): URL {
  const url = text.length > URL_LENGTH_MAX ? null : URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:') || url.hostname === '') {
    throw badRequest('The address must be a URL such as https://api.example.com/v1')
  }
  if (url.username !== '' || url.password !== '')
    throw badRequest('The address must not contain a user name or a password')
  if (url.hash !== '') throw badRequest('The address must have no fragment (#)')
  // Some endpoints need a version in the query. A key there would be visible to all users who may see the URL.
  if ([...url.searchParams.keys()].some((name) => SECRET_NAME.test(name))) {
    throw badRequest('The address must not contain a key; set the key of the connection instead')
  }
  return url
}

type Target = { protocol: string; host: string; port: number }

function targetOf(protocol: string, hostname: string, port: string | number | null | undefined): Target {
  return { protocol, host: hostKey(hostname), port: Number(port || (protocol === 'https:' ? HTTPS_PORT : 80)) }
}

const resolveAll: Resolve = (host) => lookUp(host, { all: true })

/** Empty if the name cannot be resolved before the timeout. */
async function addressesOf(host: string, resolve: Resolve, timeoutMs: number): Promise<Addresses> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const timeout = new AbortController()
  try {
    return await Promise.race([resolve(host).catch(() => []), delay(timeoutMs, [], { signal: timeout.signal })])
  } finally {
    timeout.abort()
  }
}

/**
 * The same error for an unknown name and for a name in a private network: otherwise users could enumerate the names of the operator's
 * network. Both are retryable, because an unknown name may be a temporary failure.
 */
function hostNotFound(target: Target): AppError {
  return unavailable(`The host ${target.host} was not found on the public internet. ${remedyFor(target)}`)
}

function remedyFor({ host, port }: Target): string {
  const hostAndPort = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return `The operator of this server can allow it with TOUCHSTONE_ALLOWED_EGRESS=${hostAndPort}`
}

/** Throws unless this address is allowed for this target. Check every address of a name. */
function checkAddress(target: Target, address: string, allowList: AllowList): void {
  const { protocol, host, port } = target
  if (allowList.allowsAddress(address, port)) return
  const kind = addressKind(address)
  if (allowList.allowsName(host, port) && kind !== 'special') return
  const remedy = remedyFor(target)
  if (kind !== 'public' && isIP(host) === 0) throw hostNotFound(target)
  if (kind !== 'public') throw badRequest(`The host ${host} is not on the public internet. ${remedy}`)
  if (protocol !== 'https:') throw badRequest(`The address must begin with https://. ${remedy}`)
  if (port !== HTTPS_PORT) throw badRequest(`The address must have no port other than ${HTTPS_PORT}. ${remedy}`)
}

type Addresses = Awaited<ReturnType<Resolve>>

/**
 * Makes an agent check its target before it connects, regardless of the requested URL. The `lookup` option alone is not enough, because
 * it is not called for hosts that are IP addresses.
 */
function guardAgent<Guarded extends HttpAgent>(
  agent: Guarded,
  protocol: string,
  checkedAddresses: (target: Target) => Promise<Addresses>,
): Guarded {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options: ClientRequestArgs, callback) => {
    const target = targetOf(protocol, options.host ?? '', options.port)
    checkedAddresses(target)
      .then((addresses) => {
        if (addresses.length === 0) throw hostNotFound(target)
        return connect({ ...options, lookup: fixedLookup(addresses) })
      })
      .then(
        (socket) => callback?.(null, socket ?? new Socket()),
        // The agent ignores the socket of a failure.
        (error: Error) => callback?.(error, new Socket()),
      )
    return undefined
  }
  return agent
}

/** A lookup function that returns these addresses. */
function fixedLookup(addresses: Addresses): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses
    if (all || !first) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
}
