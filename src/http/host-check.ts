import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { badRequest } from '../base/errors.ts'

/**
 * Rejects requests for an unknown host name. Without this check, a web page could resolve its own host name to this
 * server and read responses through the visitor's browser (DNS rebinding).
 */
export function rejectUnknownHost(
  req: IncomingMessage,
  forwardedHost: string | undefined,
  isAllowedHost: (host: string) => boolean,
): void {
  if (req.httpVersionMajor < 1) throw badRequest('Malformed HTTP request')
  const { host } = req.headers
  if (host === undefined || host === '') throw badRequest('Missing Host header')
  // A trusted proxy may use an internal host name and forward the one that the client used.
  if (!isAllowedHost(forwardedHost ?? host)) throw badRequest('Unknown host')
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
