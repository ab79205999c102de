import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { SERVER_KEY, type ServerProcess, startServer, waitFor } from '../harness/server-process.ts'
import { openTestStorage } from '../harness/test-storage.ts'

describeEngines('SIGTERM', (engine) => {
  it('responds to every accepted request, rejects new ones, and exits with 0', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const server = await startServer(database.url)
    const accepted = await Promise.all(Array.from({ length: 8 }, (_, place) => beginRequest(server, `held ${place}`)))
    const load = writeUntilRejected(server)
    await waitFor('some load', async () => load.acknowledged.length >= 50 || undefined)
    server.signal('SIGTERM')
    await untilRejected(server)
    const answers = await Promise.all(accepted.map((request) => request.finish()))
    expect(answers.map((answer) => answer.split('\r\n', 1)[0])).toEqual(answers.map(() => 'HTTP/1.1 201 Created'))
    const ended = await server.ended
    expect(ended).toMatchObject({ code: 0, signal: null })
    await load.end

    const again = await startServer(database.url)
    const stored = new Set((await listAll(again)).map(({ name }) => String(name)))
    expect(load.acknowledged.filter((name) => !stored.has(name))).toEqual([])
    // Nothing of a rejected request is stored; and every stored write got a response, so nothing of the others is stored either.
    expect(load.rejected.filter((name) => stored.has(name))).toEqual([])
    expect(load.unanswered.filter((name) => stored.has(name))).toEqual([])
    expect(accepted.every(({ name }) => stored.has(name))).toBe(true)
    console.log(
      `SIGTERM (${engine}): ${load.acknowledged.length} answered, ${load.rejected.length} rejected with 503, ` +
        `${load.unanswered.length} without a connection`,
    )
    await again.kill()
    database.remove()
  })

  it('releases a running job, and the next start continues it at once', { tags: 'deep' }, async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const server = await startServer(database.url)
    const component = await server.client.create('/components', { name: 'Long' })
    const traceIds = Array.from({ length: 2_000 }, (_, place) => `trace-${place}`)
    const datasetId = await server.client.create(`/components/${component}/datasets`, { name: 'Many', traceIds })
    const evaluators = [
      { type: 'length', maxCharacters: 100 },
      { type: 'regex', pattern: '^a' },
      { type: 'contains', value: 'a' },
      { type: 'bleu' },
    ]
    const path = `/components/${component}/evaluations`
    const id = await server.client.create(path, { datasetId, config: { evaluators } })
    const read = async (from: ServerProcess) => (await from.client.get(`${path}/${id}`)).body
    await waitFor('the evaluation to run', async () => (await read(server)).status === 'running' || undefined)
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })

    const storage = await openTestStorage(database.url, 'command')
    const jobs = await storage.read.selectFrom('jobs').selectAll().execute()
    expect(jobs).toMatchObject([{ state: 'queued', attempts: 0, lease_owner: null, lease_until: null }])
    await storage.close()
    const again = await startServer(database.url)
    // There are no ratings, so it ends as failed, with every case counted as skipped.
    const ended = await waitFor('the evaluation to end', async () => {
      const body = await read(again)
      return body.status === 'failed' ? body : undefined
    })
    expect(ended).toMatchObject({ progress: { total: 8_000, done: 0, failed: 0, skipped: 8_000 } })
    await again.kill()
    database.remove()
  })
})

describe('SIGTERM while a client never finishes its request', () => {
  it('exits with 0: connections that do not finish are closed', { tags: 'deep' }, async () => {
    const database = await createTestDatabase('sqlite', 'migrated')
    const server = await startServer(database.url)
    const stalled = await beginRequest(server, 'never')
    server.signal('SIGTERM')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    stalled.socket.destroy()
    database.remove()
  })

  for (const { second, tags } of [
    { second: 'SIGTERM', tags: [] },
    { second: 'SIGINT', tags: ['deep'] },
  ] as const)
    it(`a second signal (${second}) ends at once, and the next start is well`, { tags: [...tags] }, async () => {
      const database = await createTestDatabase('sqlite', 'migrated')
      const server = await startServer(database.url)
      const id = await server.client.create('/components', { name: 'Kept' })
      const stalled = await beginRequest(server, 'never')
      server.signal('SIGTERM')
      await untilRejected(server)
      expect(server.hasEnded).toBe(false)
      server.signal(second)
      expect(await server.ended).toMatchObject({ code: 1, signal: null })
      stalled.socket.destroy()
      const again = await startServer(database.url)
      expect((await again.client.get(`/components/${id}`)).status).toBe(200)
      await again.kill()
      database.remove()
    })
})

/** A request of which the server has read the head and has requested the body: it is accepted. */
async function beginRequest(server: ServerProcess, name: string) {
  const { port } = new URL(server.url)
  const socket: Socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {}) // A reset shows as an answer that is missing.
  let text = ''
  socket.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  const body = JSON.stringify({ name })
  socket.write(
    `POST /api/v1/components HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${SERVER_KEY}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  )
  await waitFor('100 Continue', async () => text.startsWith('HTTP/1.1 100') || undefined)
  return {
    name,
    socket,
    async finish(): Promise<string> {
      text = ''
      socket.write(body)
      if (!socket.closed) await once(socket, 'close')
      return text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '')
    },
  }
}

/** Waits until a new connection gets no response, or a rejection. */
async function untilRejected({ url }: ServerProcess): Promise<void> {
  await waitFor('the server to reject', async () => {
    try {
      const { status } = await fetch(`${url}/health`, { headers: { connection: 'close' } })
      return status === 503 || undefined
    } catch {
      return true
    }
  })
}

function writeUntilRejected({ client }: ServerProcess) {
  const acknowledged: string[] = []
  const rejected: string[] = []
  const unanswered: string[] = []
  async function work(worker: number): Promise<void> {
    for (let turn = 0; ; turn += 1) {
      const name = `load ${worker}.${turn}`
      try {
        const { status, text, body } = await client.post('/components', { name })
        if (status === 503) {
          rejected.push(name)
          expect(body).toEqual({ error: 'The server is shutting down' })
          return
        }
        if (status !== 201) throw new Error(`${status} ${text}`)
        acknowledged.push(name)
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        unanswered.push(name)
        return
      }
    }
  }
  const end = Promise.all(Array.from({ length: 6 }, (_, worker) => work(worker)))
  return { acknowledged, rejected, unanswered, end }
}

async function listAll({ client }: ServerProcess): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  for (;;) {
    const page = await client.list(`/components?limit=100&offset=${all.length}`)
    if (page.length === 0) return all
    all.push(...page)
  }
}
