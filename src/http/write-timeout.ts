import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many times longer a whole response may take than a pause in it. */
const WHOLE_RESPONSE_FACTOR = 20

/**
 * Closes connections whose clients do not read what they asked for: it waits in memory, and a stream keeps its source open. Node's own
 * timeout does not serve here: it starts again with everything that the client sends, and ends streams that have nothing to send.
 */
export function closeIfUnread(res: ServerResponse, timeoutMs: number): void {
  // Nearly all responses are with the operating system by now.
  if (res.writableEnded && res.socket?.writableLength === 0) return
  const isWhole = res.writableEnded
  let before: string | undefined
  let checks = 0
  const timer = setInterval(() => {
    checks += 1
    // Without a socket it is not its turn yet: the responses before it are watched.
    const now = res.socket && unsent(res.socket)
    const isStuck = now !== undefined && now === before
    // A client that reads a byte now and then would never be stuck.
    if (isStuck || (isWhole && checks >= WHOLE_RESPONSE_FACTOR)) res.socket?.destroy()
    before = now ?? undefined
  }, timeoutMs).unref()
  res.once('close', () => clearInterval(timer))
}

/** What waits to be sent: in our queue, and of one large piece in that of the system library. Undefined if nothing does. */
function unsent(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined
  const handle: unknown = Reflect.get(socket, '_handle')
  return `${socket.writableLength} ${Object(handle).writeQueueSize}`
}
