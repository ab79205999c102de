import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { badRequest } from '../base/errors.ts'

/**
 * Refuses requests for a host name that is not ours. Without this, any web page could point a name of its own at this
 * machine and read our answers through the visitor's browser (DNS rebinding).
 */
export function refuseHost(req: IncomingMessage, isAllowedHost: (host: string) => boolean): void {
  if (req.httpVersionMajor < 1) throw badRequest('Malformed HTTP request')
  const { host } = req.headers
  if (host === undefined || host === '') throw badRequest('Missing Host header')
  const name = URL.parse(`http://${host}`)?.hostname
  if (name === undefined || !isAllowedHost(name)) throw badRequest('Unknown host')
}

/** Addresses are always allowed: the attack needs a name, because an address cannot be pointed anywhere else. */
export function hostAllowList(names: string[]): (host: string) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())])
  return (host) => allowed.has(host) || host.endsWith('.localhost') || isIP(host.replace(/^\[(.*)\]$/, '$1')) !== 0
}
