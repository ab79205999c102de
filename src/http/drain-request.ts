import type { IncomingMessage } from 'node:http'

/** About the size of the largest request that any endpoint accepts. */
const DRAINED_BYTES_MAX = 32 << 20

/**
 * Reads and discards the rest of a rejected request. Most clients send the whole request before they read the response: if the server
 * closed the connection earlier, they would see a connection reset instead of the error. Returns false if the declared length exceeds the
 * limit; closes the connection if the actual length does.
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
