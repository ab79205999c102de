import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many times longer a whole response may take than a pause in it. */
const WHOLE_RESPONSE_FACTOR = 20

export type WriteTimeouts = {
  /** Of a response that has been written, or is being written. */
  add(res: ServerResponse): void
  /** It has been read, or its connection is closed. */
  remove(res: ServerResponse): void
}

type Watched = { isWhole: boolean; before: string | undefined; checks: number }

/**
 * Closes connections whose clients do not read what they asked for: it waits in memory, and a stream keeps its source open. Node's own
 * timeout does not serve here: it starts again with everything that the client sends, and ends streams that have nothing to send.
 *
 * One timer looks at all of them: a timer of its own would be a tenth of what a small response costs.
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
      // The client may have left before there was anything to read.
      if (res.closed) return
      watched.set(res, { isWhole: res.writableEnded, before: undefined, checks: 0 })
      timer ??= setInterval(checkAll, timeoutMs).unref()
    },
    remove: (res) => watched.delete(res),
  }
}

function isStuck(res: ServerResponse, state: Watched): boolean {
  state.checks += 1
  // Without a socket it is not its turn yet: the responses before it are watched.
  const now = res.socket ? unsent(res.socket) : undefined
  const isSame = now !== undefined && now === state.before
  state.before = now
  // A client that reads a byte now and then would never be stuck.
  return isSame || (state.isWhole && state.checks >= WHOLE_RESPONSE_FACTOR)
}

/** What waits to be sent: in our queue, and of one large piece in that of the system library. Undefined if nothing does. */
function unsent(socket: Socket): string | undefined {
  if (socket.writableLength === 0) return undefined
  const handle: unknown = Reflect.get(socket, '_handle')
  return `${socket.writableLength} ${Object(handle).writeQueueSize}`
}
