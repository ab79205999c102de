/** Sends the same request over many connections until the thread is terminated. In a thread, so that it does not delay its measured victim. */
import { connect } from 'node:net'
import { workerData } from 'node:worker_threads'

export type Flood = {
  port: number
  connections: number
  request: string
  pipelined: number
  isRead: boolean
  /** If not given, connections stay open. */
  reopenMs?: number
  /** Counts what was sent and what was answered, for the thread that measures. */
  counts: Int32Array<SharedArrayBuffer>
}

const { port, connections, request, pipelined, isRead, reopenMs, counts }: Flood = workerData

function attack(): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const send = () => {
    Atomics.add(counts, 0, pipelined)
    socket.write(request.repeat(pipelined))
  }
  socket.on('connect', send)
  // The server may close connections, which is no reason to stop.
  socket.on('error', () => {})
  socket.on('close', () => setTimeout(attack, 10))
  if (!isRead) {
    socket.pause()
    if (reopenMs !== undefined) setTimeout(() => socket.destroy(), reopenMs)
    return
  }
  // The responses of the attacks are short, and arrive in one piece.
  socket.on('data', () => {
    Atomics.add(counts, 1, 1)
    send()
  })
}

for (let count = 0; count < connections; count += 1) attack()
