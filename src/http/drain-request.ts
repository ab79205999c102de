import type { IncomingMessage } from 'node:http'

/** About as much as the largest request that any door takes. */
const DRAINED_BYTES_MAX = 32 << 20

/**
 * Reads and throws away what is left of a request that was refused. Most programs write a request to its end before they read: if the
 * connection were closed meanwhile, they would be told that it was reset, and never why they were refused. Answers false if it is longer
 * than that is worth; what turns out to be longer ends the connection.
 */
export function drainRequest(req: IncomingMessage): boolean {
  if (Number(req.headers['content-length'] ?? 0) > DRAINED_BYTES_MAX) return false
  let discarded = 0
  req.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > DRAINED_BYTES_MAX) req.destroy()
  })
  req.resume()
  return true
}
