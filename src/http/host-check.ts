import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { badRequest } from '../base/errors.ts'

/**
 * Refuses requests for a host name that is not ours. Without this, any web page could point a name of its own at this
 * machine and read our answers through the visitor's browser (DNS rebinding).
 */
export function rejectUnknownHost(
  req: IncomingMessage,
  forwardedHost: string | undefined,
  isAllowedHost: (host: string) => boolean,
): void {
  if (req.httpVersionMajor < 1) throw badRequest('Malformed HTTP request')
  const { host } = req.headers
  if (host === undefined || host === '') throw badRequest('Missing Host header')
  // A trusted proxy may call us by a name of its own, and then says which one the client used.
  if (!isAllowedHost(forwardedHost ?? host)) throw badRequest('Unknown host')
}

const CACHED_HOSTS_MAX = 100

/** Addresses are always allowed: the attack needs a name, because an address cannot be pointed anywhere else. */
export function hostAllowList(names: string[]): (host: string) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())])
  // Nearly all requests name the same host: it is taken apart once.
  const allowedHosts = new Set<string>()
  return (host) => {
    if (allowedHosts.has(host)) return true
    const name = URL.parse(`http://${host}`)?.hostname ?? ''
    const isAllowed = allowed.has(name) || name.endsWith('.localhost') || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
    if (isAllowed && allowedHosts.size < CACHED_HOSTS_MAX) allowedHosts.add(host)
    return isAllowed
  }
}
