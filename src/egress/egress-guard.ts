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
  /**
   * Returns `host:port` in its normal form if admins may allow it while the server runs. Otherwise throws 400 with the reason, or 503 if
   * the host name cannot be resolved.
   */
  checkAllowable(hostAndPort: string): Promise<string>
}

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

export type EgressOptions = {
  /** Allowed targets that are not public or do not use HTTPS: names, addresses and networks, with or without a port. */
  allowed: readonly string[]
  /** Targets that admins may allow, in the same form, and those that they have allowed, as `host:port`. */
  byAdmins?: { allowable: readonly string[]; listAllowed(): Promise<readonly string[]> }
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

const NONE_BY_ADMINS: Required<EgressOptions>['byAdmins'] = { allowable: [], listAllowed: async () => [] }

export function createEgress({
  allowed,
  byAdmins = NONE_BY_ADMINS,
  resolve = resolveAll,
  timeoutMs = 5_000,
}: EgressOptions): Egress {
  const allowList = readAllowList(allowed, 'TOUCHSTONE_ALLOWED_EGRESS')
  const allowable = readAllowList(byAdmins.allowable, 'TOUCHSTONE_ALLOWABLE_EGRESS')
  const remedyFor = byAdmins.allowable.length > 0 ? adminsRemedy : operatorsRemedy

  async function checkedAddresses(target: Target) {
    const addresses = await resolved(target)
    for (const { address } of addresses) {
      const rejection = rejectionOf(target, address, { allowList, remedyFor })
      if (rejection && !(await isAllowedByAdmins(target, address))) throw rejection
    }
    if (addresses.length === 0) throw hostNotFound(target, remedyFor)
    return addresses
  }

  async function resolved(target: Target): Promise<Addresses> {
    // Before the lookup, so that the error does not reveal whether these names exist here.
    if (METADATA_NAMES.includes(target.host)) throw badRequest(`The host ${target.host} is not allowed`)
    return addressesOf(target.host, resolve, timeoutMs)
  }

  /** Read at each connection, so that all processes know at once what was allowed and what no longer is. */
  async function isAllowedByAdmins(target: Target, address: string): Promise<boolean> {
    if (rejectionOf(target, address, { allowList: allowable, remedyFor })) return false
    return (await byAdmins.listAllowed()).includes(hostAndPortOf(target))
  }

  const https = guardAgent(new HttpsAgent({ keepAlive: true }), 'https:', checkedAddresses)
  const http = guardAgent(new HttpAgent({ keepAlive: true }), 'http:', checkedAddresses)
  return {
    async check(text) {
      const url = readUrl(text)
      await checkedAddresses(targetOf(url.protocol, url.hostname, url.port))
      return url
    },
    async checkAllowable(text) {
      const url = /^[^/?#@\s]+:\d{1,5}$/.test(text) ? URL.parse(`http://${text}`) : null
      if (!url)
        throw badRequest(
          `An allowed address must be a host and a port, such as localhost:11434, not ${JSON.stringify(text)}`,
        )
      const target = targetOf('http:', url.hostname, url.port)
      const addresses = await resolved(target)
      const isPermitted = ({ address }: Addresses[number]) =>
        !rejectionOf(target, address, { allowList: allowable, remedyFor: operatorsRemedy })
      // Also for an unknown name: the error does not reveal which names exist in the network.
      if (addresses.length === 0 || !addresses.every(isPermitted))
        throw badRequest(`Admins may not allow ${hostAndPortOf(target)}. ${operatorsRemedy(target)}`)
      return hostAndPortOf(target)
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
    throw badRequest('The address must not contain a key, because users may see it; send it in a header instead')
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
function hostNotFound(target: Target, remedyFor: Remedy): AppError {
  return unavailable(`The host ${target.host} was not found on the public internet. ${remedyFor(target)}`)
}

type Remedy = (target: Target) => string

function operatorsRemedy(target: Target): string {
  return `The operator of this server can allow it with TOUCHSTONE_ALLOWED_EGRESS=${hostAndPortOf(target)}`
}

function adminsRemedy(target: Target): string {
  return `In a network of yours, an admin of all applications can allow ${hostAndPortOf(target)} on the page Models of the settings; elsewhere, the operator with TOUCHSTONE_ALLOWED_EGRESS=${hostAndPortOf(target)}`
}

function hostAndPortOf({ host, port }: Target): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The reason unless this address is allowed for this target. Check every address of a name. */
function rejectionOf(
  target: Target,
  address: string,
  { allowList, remedyFor }: { allowList: AllowList; remedyFor: Remedy },
): AppError | undefined {
  const { protocol, host, port } = target
  if (allowList.allowsAddress(address, port)) return undefined
  const kind = addressKind(address)
  if (allowList.allowsName(host, port) && kind !== 'special') return undefined
  const remedy = remedyFor(target)
  if (kind !== 'public' && isIP(host) === 0) return hostNotFound(target, remedyFor)
  if (kind !== 'public') return badRequest(`The host ${host} is not on the public internet. ${remedy}`)
  if (protocol !== 'https:') return badRequest(`The address must begin with https://. ${remedy}`)
  if (port !== HTTPS_PORT) return badRequest(`The address must have no port other than ${HTTPS_PORT}. ${remedy}`)
  return undefined
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
      .then((addresses) => connect({ ...options, lookup: fixedLookup(addresses) }))
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
