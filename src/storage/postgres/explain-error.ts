import { codeOf, unavailable } from '../../base/errors.ts'

/** Class 08 and 57P are the server's codes for a lost connection; the others are of the operating system and the client. */
export function isConnectionLost(error: unknown): boolean {
  const message = error instanceof Error ? error.message : ''
  return (
    /^(08|57P)|^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_)/.test(codeOf(error)) ||
    /Connection terminated|timeout ex(?:ceeded|pired)|Query read timeout|Client was closed|not queryable/i.test(message)
  )
}

/** A database that is unreachable, full or overloaded is a transient error and becomes a 503; all others stay unchanged. */
export function explain(error: unknown): unknown {
  if (isConnectionLost(error)) return unavailable('The database cannot be reached right now; try again', error)
  if (/^(53|58)/.test(codeOf(error))) return unavailable('The database is out of resources; try again later', error)
  if (codeOf(error) === '57014' || codeOf(error) === '55P03') {
    return unavailable('The database did not respond in time; try again', error)
  }
  if (codeOf(error) === '25006') return unavailable('The database is read-only right now', error)
  return error
}
