/** Headers of every response, whoever writes it: routes, the sign-in library, OTLP, static files, and what the HTTP parser rejects. */
export type SecurityHeaders = Record<string, string>

/** A year, as browsers ask for. Not for subdomains: an installation at example.com must not decide for hosts that it does not serve. */
const HSTS = 'max-age=31536000'

export function securityHeaders(publicUrl: string): SecurityHeaders {
  const headers: SecurityHeaders = {
    'x-content-type-options': 'nosniff',
    // Responses of an API are no pages: nothing in them may load, run or be framed. Static files have a policy of their own.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  }
  if (publicUrl.startsWith('https:')) headers['strict-transport-security'] = HSTS
  return headers
}
