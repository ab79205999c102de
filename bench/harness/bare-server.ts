/**
 * The baseline: a `node:http` server that returns the response it was given. It reads and parses a body if there is
 * one.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { serveParent } from './child.ts'
import type { RawAnswer } from './load.ts'

let answer: RawAnswer = { status: 200, headers: {}, body: '' }

const server = createServer((req, res) => {
  if (req.method === 'GET') reply(res)
  else readBody(req, res)
})
server.maxRequestsPerSocket = 1_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = server.address()

const commands = {
  cpuMicros: async () => cpuMicros(),
  answerWith: async (next: RawAnswer) => {
    answer = next
  },
}

export type BareCommands = typeof commands

serveParent(address !== null && typeof address === 'object' ? address.port : 0, commands, async () => {
  server.close()
})

function reply(res: ServerResponse): void {
  res.writeHead(answer.status, answer.headers)
  res.end(answer.body)
}

function readBody(req: IncomingMessage, res: ServerResponse): void {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    JSON.parse(Buffer.concat(chunks).toString())
    reply(res)
  })
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
