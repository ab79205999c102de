/** A server of another tool on a port of its own. It requires a key, and may be unavailable for a while. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export type JsonRequest = { path: string; query: URLSearchParams; body: Record<string, unknown> }

export type JsonServer = {
  url: string
  /** Method and path of every request. */
  requests: string[]
  /** The next requests get this status, with the key in the text. */
  failNext(status: number, times: number): void
  /** Requests of this path always get this status. */
  failOn(path: string, status: number): void
  close(): Promise<void>
}

/** `respond` returns the body of the response, or undefined for a 404. */
export async function startJsonServer(
  authorization: string,
  respond: (request: JsonRequest) => unknown,
): Promise<JsonServer> {
  const requests: string[] = []
  const failures: number[] = []
  const failingPaths = new Map<string, number>()
  const server = createServer(async (req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://localhost')
    const body = await text(req)
    requests.push(`${req.method} ${pathname}`)
    const send = (status: number, content: unknown) =>
      res.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' }).end(JSON.stringify(content))
    const failure = failingPaths.get(pathname) ?? failures.shift()
    if (failure !== undefined) return send(failure, { error: `not now, ${req.headers.authorization}` })
    if (req.headers.authorization !== authorization) return send(401, { error: `wrong: ${req.headers.authorization}` })
    const content = respond({ path: decodeURIComponent(pathname), query: searchParams, body: JSON.parse(body || '{}') })
    return content === undefined ? send(404, { error: 'not found' }) : send(200, content)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    failOn: (path, status) => void failingPaths.set(path, status),
    failNext: (status, times) => void failures.push(...Array.from({ length: times }, () => status)),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The part of a list that begins at a cursor, and the next cursor. Small, so that a few entries are several pages. */
export function pageAt<Entry>(list: readonly Entry[], cursor: string | null | undefined) {
  const start = Number(cursor ?? 0)
  const end = start + 2
  return { entries: list.slice(start, end), next: end < list.length ? String(end) : null }
}
