/** A TCP proxy in front of a database that can delay, cut every connection, or drop every byte. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export type FaultProxy = {
  port: number
  /** How long each piece is held back, in both directions. */
  delayBy(ms: number): void
  /** Half-open: connections stay, new ones are accepted, and nothing arrives any more on either side. */
  swallow(): void
  /** Lets everything through again. What was swallowed is lost, so connections that lost something are cut. */
  heal(): void
  /** Resets every connection there is. */
  cut(): void
  close(): Promise<void>
}

export async function startFaultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  let delayMs = 0
  let isSwallowing = false
  const pairs = new Set<{ near: Socket; far: Socket; hasLost: boolean }>()

  const server = createServer((near) => {
    const far = connect(target)
    const pair = { near, far, hasLost: false }
    pairs.add(pair)
    const pass = (from: Socket, to: Socket) => {
      from.on('data', (piece) => {
        if (isSwallowing) pair.hasLost = true
        else if (delayMs === 0) to.write(piece)
        else setTimeout(() => to.writable && to.write(piece), delayMs)
      })
      // An end is swallowed as everything else is: the other side must not learn of it.
      from.on('end', () => {
        if (isSwallowing) pair.hasLost = true
        else to.end()
      })
      from.on('error', () => !isSwallowing && to.destroy())
      from.on('close', () => {
        if (isSwallowing) pair.hasLost = true
        else to.destroy()
        if (near.destroyed && far.destroyed) pairs.delete(pair)
      })
    }
    pass(near, far)
    pass(far, near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  const cut = (isMeant: (pair: { hasLost: boolean }) => boolean) => {
    for (const pair of [...pairs].filter(isMeant)) {
      pair.near.resetAndDestroy()
      pair.far.resetAndDestroy()
      pairs.delete(pair)
    }
  }
  return {
    port: address.port,
    delayBy(ms) {
      delayMs = ms
    },
    swallow() {
      isSwallowing = true
    },
    heal() {
      isSwallowing = false
      cut(({ hasLost }) => hasLost)
    },
    cut: () => cut(() => true),
    async close() {
      cut(() => true)
      server.close()
      await once(server, 'close')
    },
  }
}
