/**
 * Which addresses this server calls for people who are not its operator. Whoever may enter an address could otherwise make the server
 * knock at what only the server can reach: itself, its network, the credentials of the machine it runs on.
 *
 * Judged when an address is stored and again at every connection, because a name may lead elsewhere by then. A connection goes to
 * exactly the addresses that were judged, never to what another look-up of the same name would give.
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
   * The address in its normal form, if it may be called; else throws a 400 whose message says why and what to set. A 503 if nobody knows
   * the name at the moment.
   */
  check(url: string): Promise<URL>
  /**
   * For requests to such an address. Every connection looks the name up and judges it anew, and goes to exactly what was judged; a
   * refused one fails with the same error as `check`, before a packet is sent. Redirects are for the caller to refuse.
   */
  agentFor(url: URL): HttpAgent
}

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

export type EgressOptions = {
  /** What may be called although it is not public, or not by https: names, addresses and networks, with a port or without. */
  allowed: readonly string[]
  resolve?: Resolve
  /** How long a look-up may take. */
  patienceMs?: number
}

const URL_LENGTH_MAX = 2_000
const HTTPS_PORT = 443
const SECRET_NAME = /key|token|secret|password|signature|auth/i

/** Names under which clouds hand credentials to their machines. They lead to addresses that are refused; some also elsewhere. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]

export function createEgress({ allowed, resolve = lookUpAll, patienceMs = 5_000 }: EgressOptions): Egress {
  const allowList = readAllowList(allowed)

  async function judgedAddresses(target: Target) {
    // Before it is looked up: whether these names exist here is nobody's business.
    if (METADATA_NAMES.includes(target.host)) throw badRequest(`The host ${target.host} is never called`)
    const addresses = await addressesOf(target.host, resolve, patienceMs)
    for (const { address } of addresses) judge(target, address, allowList)
    return addresses
  }

  const https = guarded(new HttpsAgent({ keepAlive: true }), 'https:', judgedAddresses)
  const http = guarded(new HttpAgent({ keepAlive: true }), 'http:', judgedAddresses)
  return {
    async check(text) {
      const url = readUrl(text)
      const target = targetOf(url.protocol, url.hostname, url.port)
      if ((await judgedAddresses(target)).length === 0) throw hostNotFound(target)
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
  if (url.username !== '' || url.password !== '') throw badRequest('The address must not hold a name or a password')
  if (url.hash !== '') throw badRequest('The address must have no fragment (#)')
  // Some endpoints want a version there. A key would be shown to everybody who may see the address.
  if ([...url.searchParams.keys()].some((name) => SECRET_NAME.test(name))) {
    throw badRequest('The address must not hold a key; give it as the key of the connection')
  }
  return url
}

type Target = { protocol: string; host: string; port: number }

function targetOf(protocol: string, hostname: string, port: string | number | null | undefined): Target {
  return { protocol, host: hostKey(hostname), port: Number(port || (protocol === 'https:' ? HTTPS_PORT : 80)) }
}

const lookUpAll: Resolve = (host) => lookUp(host, { all: true })

/** Empty if the name leads nowhere, or nobody says where in time. */
async function addressesOf(host: string, resolve: Resolve, patienceMs: number): Promise<Addresses> {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const waiting = new AbortController()
  try {
    return await Promise.race([resolve(host).catch(() => []), delay(patienceMs, [], { signal: waiting.signal })])
  } finally {
    waiting.abort()
  }
}

/**
 * One error for a name that leads nowhere and for one that leads into a private network: the difference would let anybody who may
 * enter an address list the names of the operator's network. Unknown names may be known again in a moment, so both are worth another try.
 */
function hostNotFound(target: Target): AppError {
  return unavailable(`The host ${target.host} was not found on the public internet. ${remedyFor(target)}`)
}

function remedyFor({ host, port }: Target): string {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return `Whoever runs this server can allow it with TOUCHSTONE_ALLOWED_EGRESS=${place}`
}

/** Throws unless this address may be called under this name. Whether one address is fine says nothing about the next of the same name. */
function judge(target: Target, address: string, allowList: AllowList): void {
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
 * Makes an agent judge before it connects: what it is about to connect to, whatever URL it was asked for. Not by the agent's own hook
 * for looking names up alone, which is not asked about hosts that are addresses already.
 */
function guarded<Guarded extends HttpAgent>(
  agent: Guarded,
  protocol: string,
  judgedAddresses: (target: Target) => Promise<Addresses>,
): Guarded {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options: ClientRequestArgs, callback) => {
    const target = targetOf(protocol, options.host ?? '', options.port)
    judgedAddresses(target)
      .then((addresses) => {
        if (addresses.length === 0) throw hostNotFound(target)
        return connect({ ...options, lookup: answering(addresses) })
      })
      .then(
        (socket) => callback?.(null, socket ?? new Socket()),
        // The agent does not look at the socket of a failure.
        (error: Error) => callback?.(error, new Socket()),
      )
    return undefined
  }
  return agent
}

/** A look-up that knows its answer. */
function answering(addresses: Addresses): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses
    if (all || !first) done(null, [...addresses])
    else done(null, first.address, first.family)
  }
}
