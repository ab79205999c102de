/**
 * Who sent a request, when proxies may be in between.
 *
 * Each proxy appends the address it received the request from to `X-Forwarded-For`, so the header is read from the right: as long
 * as a hop is a proxy of the operator (`TOUCHSTONE_TRUSTED_PROXIES`), the entry to its left is true. The first address that is not
 * a trusted proxy is the client; whatever it wrote further to the left is its own invention and is ignored.
 */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { isInRanges, rangeOfAddress, rangesOf, readRange } from '../base/address-ranges.ts'

export type IsTrustedProxy = (address: string) => boolean

/** What a request looked like to the client. The scheme and the host are undefined unless a trusted proxy reported them. */
export type ClientRequest = { address: string; scheme: 'http' | 'https' | undefined; host: string | undefined }

type Headers = Record<string, string | string[] | undefined>

/** Throws for an entry that is neither an address nor a network; the reader of settings rejects those with a message of its own. */
export function readTrustedProxies(entries: readonly string[]): IsTrustedProxy {
  if (entries.length === 0) return () => false
  const list = rangesOf(entries.map((entry) => readRange(entry) ?? rangeOfAddress(entry) ?? entry))
  return (address) => (isIPv4(address) || isIPv6(address)) && isInRanges(list, address)
}

/** `peer` is the other end of the socket; it is undefined once the socket is closed. */
export function readClientRequest(
  peer: string | undefined,
  headers: Headers,
  isTrustedProxy: IsTrustedProxy,
): ClientRequest {
  const own = peer === undefined || isIPv4(peer) ? (peer ?? '') : (plainAddress(peer) ?? peer)
  if (!isTrustedProxy(own)) return { address: own, scheme: undefined, host: undefined }
  const scheme = lastValue(headers['x-forwarded-proto'])?.toLowerCase()
  return {
    address: walkToClient(own, headers['x-forwarded-for'], isTrustedProxy),
    scheme: scheme === 'https' || scheme === 'http' ? scheme : undefined,
    host: lastValue(headers['x-forwarded-host']),
  }
}

/** A header far longer than any chain of proxies is not worth reading further. */
const HOPS_MAX = 32

function walkToClient(peer: string, header: string | string[] | undefined, isTrustedProxy: IsTrustedProxy): string {
  const entries = listOf(header).slice(-HOPS_MAX)
  let address = peer
  for (const entry of entries.reverse()) {
    const hop = plainAddress(entry)
    // `unknown`, a name, or garbage: the proxy that wrote it is the last hop that is known.
    if (hop === undefined) return address
    address = hop
    if (!isTrustedProxy(hop)) return address
  }
  return address
}

/** The nearest proxy writes last. */
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

/** One spelling of an address: no port, no brackets, no zone, IPv4 as IPv4 even if it is written as IPv6. */
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
