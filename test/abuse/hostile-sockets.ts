/** Connections that are opened to do harm, on the loopback interface alone, and a bystander whose served requests are counted. */
import { connect, type Socket } from 'node:net'
import { createClient } from '../harness/client.ts'
import { waitFor } from '../harness/server-process.ts'
import type { TestApp } from '../harness/test-app.ts'

export type HostileSocket = {
  socket: Socket
  /** Everything that the server has sent. */
  received(): string
  /** Both sides; the client closes its own only when it is reset. */
  isClosed(): boolean
  /** The server has closed its side. */
  hasEnded(): boolean
}

/** Connects and sends these bytes; keeps its side open and reads what arrives, even if the server closes its side. */
export async function openHostile(url: string, bytes: string | Buffer): Promise<HostileSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  let text = ''
  let isClosed = false
  let hasEnded = false
  // A connection that the server resets is what these tests hope for.
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
  })
  socket.on('end', () => {
    hasEnded = true
  })
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve)
    socket.once('close', () => resolve())
  })
  if (!socket.destroyed) socket.write(bytes)
  return { socket, received: () => text, isClosed: () => isClosed, hasEnded: () => hasEnded || isClosed }
}

/** Opens many of them, some at a time, so that the operating system rejects none because its queue is full. */
export async function openMany(count: number, open: () => Promise<HostileSocket>): Promise<HostileSocket[]> {
  const sockets: HostileSocket[] = []
  while (sockets.length < count) {
    const batch = Math.min(100, count - sockets.length)
    sockets.push(...(await Promise.all(Array.from({ length: batch }, open))))
  }
  return sockets
}

export function destroyAll(sockets: readonly HostileSocket[]): void {
  for (const { socket } of sockets) socket.destroy()
}

/** Until the server has closed its side for reading too, which shows only when something more is sent: it is reset then. */
export async function untilAllClosed(sockets: readonly HostileSocket[]): Promise<void> {
  await waitFor('the server to close the connections', async () => {
    const open = sockets.filter((one) => !one.isClosed())
    for (const { socket } of open) socket.write('x')
    return open.length === 0 || undefined
  })
}

/** How many of a bystander's requests to store a span are served, each on a connection of its own. */
export async function countServedBatches(url: string, key: string, count: number): Promise<number> {
  let served = 0
  for (let place = 0; place < count; place += 1) {
    const client = createClient(url, { authorization: `Bearer ${key}`, connection: 'close' })
    const { status } = await client.send('POST', '/v1/traces', { body: batch(place) })
    if (status === 200) served += 1
  }
  return served
}

/** How many of a bystander's reads are served, each on a connection of its own. */
export async function countServedReads({ url }: Pick<TestApp, 'url'>, key: string, count: number): Promise<number> {
  let served = 0
  for (let place = 0; place < count; place += 1) {
    const client = createClient(url, { authorization: `Bearer ${key}`, connection: 'close' })
    const status = await client.get('/workspace').then(
      (answer) => answer.status,
      () => 0,
    )
    if (status === 200) served += 1
  }
  return served
}

function batch(place: number): unknown {
  const hex = (place + 1).toString(16).padStart(16, '0')
  const span = { traceId: `${hex}${hex}`, spanId: hex, name: 'x', startTimeUnixNano: '1700000000000000000' }
  return { resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, endTimeUnixNano: span.startTimeUnixNano }] }] }] }
}

export function head(lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}
