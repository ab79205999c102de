/** A service of a user on its own port: it answers what the test decides, and misbehaves as providers of models do. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Misbehaviour, misbehave } from '../harness/model-misbehaviour.ts'

type ServiceRequest = { method: string; path: string; headers: IncomingHttpHeaders; body: unknown }

type Respond = (request: ServiceRequest, res: ServerResponse) => void | Promise<void>

export type Service = {
  url: string
  requests: readonly ServiceRequest[]
  /** For the next request; others get `{"answer": "…", "sent": …}` with the body of the request. */
  next(how: Misbehaviour | Respond): void
  close(): Promise<void>
}

export async function startService(): Promise<Service> {
  const requests: ServiceRequest[] = []
  const planned: (Misbehaviour | Respond)[] = []
  const server = createServer(async (req, res) => {
    const { method = '', url: path = '', headers } = req
    const request = { method, path, headers, body: JSON.parse((await buffer(req)).toString('utf8')) }
    requests.push(request)
    const how = planned.shift()
    if (typeof how === 'function') await how(request, res)
    else if (how) await misbehave(how, res)
    else sendJson(res, 200, { answer: 'Yes', sent: request.body })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the service has no port')
  return {
    url: `http://127.0.0.1:${address.port}/ask/`,
    requests,
    next: (how) => void planned.push(how),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function sendJson(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
