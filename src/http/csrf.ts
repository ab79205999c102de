import type { IncomingHttpHeaders } from 'node:http'
import { forbidden } from '../base/errors.ts'

/**
 * Refuses requests that another web site makes in the name of a signed-in person (CSRF). Browsers say where a request
 * comes from (Sec-Fetch-Site, or Origin in older ones). A client that says neither is no browser; it must show, by a header
 * that a foreign page could not send without our consent, that it means to call this API. `forwardedHost` is the host that the client used, if a trusted proxy reports one.
 */
export function rejectCrossSite(headers: IncomingHttpHeaders, forwardedHost: string | undefined): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
    throw forbidden('This request was made by another web site')
  }
  const { origin } = headers
  if (origin !== undefined) {
    if (hostOf(origin) === (forwardedHost ?? headers.host)?.toLowerCase()) return
    throw forbidden('This request was made by another web site')
  }
  if (headers['x-ai-application-id'] !== undefined || headers['x-workspace-id'] !== undefined) return
  throw forbidden('A request with a session cookie must carry the header Origin or X-AI-Application-Id')
}

/** For requests without a session, such as signing in: only a browser on another site is refused. */
export function rejectForeignBrowser(headers: IncomingHttpHeaders, forwardedHost: string | undefined): void {
  if (headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) rejectCrossSite(headers, forwardedHost)
}

function hostOf(origin: string): string | undefined {
  return URL.parse(origin)?.host
}
