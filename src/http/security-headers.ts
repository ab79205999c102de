/** Headers of every response: routes, the authentication library, OTLP, static files and errors of the HTTP parser. */
export type SecurityHeaders = Record<string, string>

/** One year, as browsers recommend. Without subdomains: an installation at example.com must not affect hosts that it does not serve. */
const HSTS = 'max-age=31536000'

export function securityHeaders(publicUrl: string): SecurityHeaders {
  const headers: SecurityHeaders = {
    'x-content-type-options': 'nosniff',
    // API responses are not pages: nothing in them may load, run or be framed. Static files have their own policy.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  }
  if (publicUrl.startsWith('https:')) headers['strict-transport-security'] = HSTS
  return headers
}
