/**
 * Determines the client of a request that may have passed through proxies.
 *
 * Each proxy appends the address it received the request from to `X-Forwarded-For`, so the header is read from the right: as long
 * as a hop is a trusted proxy (`TOUCHSTONE_TRUSTED_PROXIES`), the entry to its left can be trusted. The first address that is not
 * a trusted proxy is the client. Entries further to the left may be forged and are ignored.
 */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4, isIPv6, SocketAddress } from 'node:net'
import { isInRanges, rangeOfAddress, rangesOf, readRange } from '../base/address-ranges.ts'
import { badRequest } from '../base/errors.ts'

export type IsTrustedProxy = (address: string) => boolean

/** The request as the client sent it. The scheme of plain HTTP is undefined unless a trusted proxy reported it. */
export type ClientRequest = { address: string; scheme: 'http' | 'https' | undefined; host: string | undefined }

type Headers = { host?: string | undefined; [name: string]: string | string[] | undefined }

/** Throws for an entry that is neither an address nor a network; the configuration is validated before. */
export function readTrustedProxies(entries: readonly string[]): IsTrustedProxy {
  if (entries.length === 0) return () => false
  const list = rangesOf(entries.map((entry) => readRange(entry) ?? rangeOfAddress(entry) ?? entry))
  return (address) => (isIPv4(address) || isIPv6(address)) && isInRanges(list, address)
}

/** `peer` is the remote address of the socket; undefined once the socket is closed. `ownScheme` is `https` if the server itself uses TLS. */
export function readClientRequest(
  peer: string | undefined,
  headers: Headers,
  isTrustedProxy: IsTrustedProxy,
  ownScheme?: 'https',
): ClientRequest {
  const own = peer === undefined || isIPv4(peer) ? (peer ?? '') : (plainAddress(peer) ?? peer)
  if (!isTrustedProxy(own)) return { address: own, scheme: ownScheme, host: headers.host }
  const scheme = lastValue(headers['x-forwarded-proto'])?.toLowerCase()
  return {
    address: walkToClient(own, headers['x-forwarded-for'], isTrustedProxy),
    scheme: scheme === 'https' || scheme === 'http' ? scheme : ownScheme,
    // A proxy may use an internal host name and forward the one that the client used.
    host: lastValue(headers['x-forwarded-host']) ?? headers.host,
  }
}

/**
 * Rejects requests for an unknown host name. Without this check, a web page could resolve its own host name to this
 * server and read responses through the visitor's browser (DNS rebinding).
 */
export function rejectUnknownHost(
  req: IncomingMessage,
  { host }: Pick<ClientRequest, 'host'>,
  isAllowedHost: (host: string) => boolean,
): void {
  if (req.httpVersionMajor < 1) throw badRequest('Malformed HTTP request')
  if (!req.headers.host || host === undefined) throw badRequest('Missing Host header')
  for (const name of SINGLE_HEADERS)
    if (countHeader(req.rawHeaders, name) > 1) throw badRequest(`The header ${name} must not be repeated`)
  if (!isAllowedHost(host)) throw badRequest('Unknown host')
}

/** Node uses the first of them, while a proxy may have checked the last. A repeated Authorization header is 401 instead. */
const SINGLE_HEADERS = ['host', 'content-type']

/** `headersDistinct` of Node has the same, but it processes every header. */
export function countHeader(rawHeaders: string[], name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at]
    if (given?.length === name.length && given.toLowerCase() === name) count += 1
  }
  return count
}

const CACHED_HOSTS_MAX = 100

/** IP addresses are always allowed: DNS rebinding needs a host name. */
export function hostAllowList(names: string[]): (host: string) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())])
  // Nearly all requests have the same Host header, so parsed values are cached.
  const allowedHosts = new Set<string>()
  return (host) => {
    if (allowedHosts.has(host)) return true
    const name = URL.parse(`http://${host}`)?.hostname ?? ''
    const isAllowed = allowed.has(name) || name.endsWith('.localhost') || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
    if (isAllowed && allowedHosts.size < CACHED_HOSTS_MAX) allowedHosts.add(host)
    return isAllowed
  }
}

/** No real proxy chain is longer. */
const HOPS_MAX = 32

function walkToClient(peer: string, header: string | string[] | undefined, isTrustedProxy: IsTrustedProxy): string {
  const entries = listOf(header).slice(-HOPS_MAX)
  let address = peer
  for (const entry of entries.reverse()) {
    const hop = plainAddress(entry)
    // `unknown`, a name, or garbage: the proxy that wrote it is the last known hop.
    if (hop === undefined) return address
    address = hop
    if (!isTrustedProxy(hop)) return address
  }
  return address
}

/** The nearest proxy appends the last value. */
function lastValue(header: string | string[] | undefined): string | undefined {
  return listOf(header).at(-1)
}

function listOf(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '')
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** Normalizes an address: no port, brackets or zone; an IPv4-mapped IPv6 address becomes IPv4. */
function plainAddress(text: string): string | undefined {
  const unquoted = text.replace(/^"(.*)"$/, '$1')
  const bare = (/^\[([^\]]+)\](?::\d{1,5})?$/.exec(unquoted)?.[1] ?? unquoted).replace(/%.*$/, '')
  const [, ipv4 = bare] = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/.exec(bare) ?? []
  if (isIPv4(ipv4)) return ipv4
  if (!isIPv6(bare)) return undefined
  const canonical = new SocketAddress({ address: bare, family: 'ipv6' }).address
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(canonical) ?? []
  return mapped ?? canonical
}
