import type { IncomingHttpHeaders } from 'node:http'
import { forbidden } from '../base/errors.ts'

/**
 * Rejects requests that another web site sends with the session of a signed-in user (CSRF). Browsers send the origin of a request
 * (Sec-Fetch-Site, or Origin in older ones). A client that sends neither is not a browser; it must send a custom header, which a
 * page of another origin cannot add without a CORS preflight. `host` is the one that the client used.
 */
export function rejectCrossSite(headers: IncomingHttpHeaders, host: string | undefined): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined) {
    if (site === 'same-origin' || site === 'none') return
    throw forbidden('Cross-site requests are not allowed')
  }
  const { origin } = headers
  if (origin !== undefined) {
    if (URL.parse(origin)?.host === host?.toLowerCase()) return
    throw forbidden('Cross-site requests are not allowed')
  }
  if (headers['x-ai-application-id'] !== undefined || headers['x-workspace-id'] !== undefined) return
  throw forbidden('A request with a session cookie must have an Origin or X-AI-Application-Id header')
}

/** For requests without a session, such as signing in: rejects only browsers on another site. */
export function rejectForeignBrowser(headers: IncomingHttpHeaders, host: string | undefined): void {
  if (headers['sec-fetch-site'] !== undefined || headers.origin !== undefined) rejectCrossSite(headers, host)
}
