/** An HTTP proxy that records requests and can lose the response to a write, as a client sees it that is killed at that moment. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'

export type LossyProxy = {
  url: string
  /** Method and path of every request since the last reset. */
  requests: string[]
  /** The next write is handled by the server; then the connection is closed without a response, and `onLost` is called. */
  loseNextWrite(onLost: () => void): void
  close(): Promise<void>
}

export async function startLossyProxy(target: string): Promise<LossyProxy> {
  const requests: string[] = []
  let onLost: (() => void) | undefined
  const server = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`)
    const lose = req.method === 'GET' ? undefined : onLost
    if (lose) onLost = undefined
    const options = { method: req.method, headers: req.headers }
    const forwarded = request(new URL(req.url ?? '/', target), options, (answer) => {
      if (!lose) {
        res.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(res)
        return
      }
      answer.resume().once('end', () => {
        lose()
        req.socket.destroy()
      })
    })
    forwarded.once('error', () => res.destroy())
    req.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    loseNextWrite(then) {
      onLost = then
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
