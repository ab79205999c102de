import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Exchange } from '../experiments/promptic-exchanges.ts'

/** Forwards requests to a server, and keeps them with their responses. */
export async function recordExchanges(server: string) {
  const exchanges: Exchange[] = []
  const proxy = createServer(async (req, res) => {
    const { method = '', url = '', headers } = req
    const given = await text(req)
    const { authorization = '', 'content-type': type } = headers
    const forwarded = await fetch(`${server}${url}`, {
      method,
      headers: { authorization, ...(type !== undefined && { 'content-type': type }) },
      ...(given !== '' && { body: given }),
    })
    const answer = await forwarded.text()
    exchanges.push({
      method,
      path: url.replace(/^\/api\/v1/, ''),
      ...(given !== '' && { body: JSON.parse(given) }),
      status: forwarded.status,
      response: answer === '' ? null : JSON.parse(answer),
    })
    res.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(answer)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => proxy.close(() => resolve())),
  }
}
