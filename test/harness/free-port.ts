import { createServer } from 'node:net'

/** A port that was free a moment ago, for servers whose address must be known before they start. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = Object(server.address())
  await new Promise((resolve) => server.close(resolve))
  return Number(port)
}
