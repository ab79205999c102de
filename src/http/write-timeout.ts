import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A complete response may need this many times the timeout. */
const WHOLE_RESPONSE_FACTOR = 20

export type WriteTimeouts = {
  /** Watches a response that has been or is being written. */
  add(res: ServerResponse): void
  /** Call when the response has been read or its connection is closed. */
  remove(res: ServerResponse): void
}

type Watched = { isWhole: boolean; before: string | undefined; checks: number }

/**
 * Closes connections whose clients do not read the response: it stays in memory, and a stream keeps its source open. Node's socket
 * timeout does not work here: it restarts whenever the client sends data, and it ends streams that have nothing to send.
 *
 * One timer checks all responses: a timer per response would be 10% of the cost of a small one.
 */
export function createWriteTimeouts(timeoutMs: number): WriteTimeouts {
  const watched = new Map<ServerResponse, Watched>()
  let timer: NodeJS.Timeout | undefined

  function checkAll(): void {
    for (const [res, state] of watched) if (isStuck(res, state)) res.socket?.destroy()
    if (watched.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    add(res) {
      // The client may have disconnected before the response was written.
      if (res.closed) return
      watched.set(res, { isWhole: res.writableEnded, before: undefined, checks: 0 })
      timer ??= setInterval(checkAll, timeoutMs).unref()
    },
    remove: (res) => watched.delete(res),
  }
}

function isStuck(res: ServerResponse, state: Watched): boolean {
  state.checks += 1
  // A pipelined response has no socket until the responses before it are sent; those are watched.
  const now = res.socket ? unsent(res.socket) : undefined
  const isSame = now !== undefined && now === state.before
  state.before = now
  // The limit on checks catches a client that reads a byte now and then.
  return isSame || (state.isWhole && state.checks >= WHOLE_RESPONSE_FACTOR)
}

/** The unsent bytes in the stream's queue and in libuv's queue, which holds large chunks. Undefined if there are none. */
function unsent(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined
  const handle: unknown = Reflect.get(socket, '_handle')
  return `${socket.writableLength} ${Object(handle).writeQueueSize}`
}
