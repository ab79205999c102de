/**
 * Reads pages like a browser, one after the other over one connection, in a process of its own, and returns the
 * duration of each.
 */
import { Agent, get } from 'node:http'
import { serveParent } from './child.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 1 })

type Reading = { port: number; key: string; paths: string[] }

const commands = {
  /** Milliseconds from each request to the last byte of its response. */
  read: async ({ port, key, paths }: Reading) => {
    const took: number[] = []
    for (const path of paths) {
      const startedAt = performance.now()
      await readOne({ port, key, path })
      took.push(performance.now() - startedAt)
    }
    return took
  },
  /** The whole response, to verify it. */
  show: async ({ port, key, path }: { port: number; key: string; path: string }) =>
    (await readOne({ port, key, path })).toString(),
}

export type ReaderCommands = typeof commands

serveParent(0, commands, async () => agent.destroy())

function readOne({ port, key, path }: { port: number; key: string; path: string }): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` }
    get({ host: '127.0.0.1', port, path, agent, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const body = Buffer.concat(chunks)
        if (res.statusCode === 200) resolve(body)
        else reject(new Error(`${path}: ${res.statusCode} ${body.toString().slice(0, 300)}`))
      })
    }).on('error', reject)
  })
}
