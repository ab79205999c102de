/**
 * Programs that write a request to its end before they read, as most do. If the connection were closed while they write, the system would
 * report a reset connection, and they would never see why they were rejected.
 */
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'

const PIECE = Buffer.alloc(64 << 10, 'x')
const CHUNK = Buffer.concat([Buffer.from(`${PIECE.length.toString(16)}\r\n`), PIECE, Buffer.from('\r\n')])

/** Writes everything, waiting for the other side to take it, and only then looks for an answer. */
async function writeThenRead(url: string, head: string[], pieces: Iterable<Buffer>): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  const failed = new Promise<never>((_, reject) => socket.once('error', reject))
  const write = (bytes: string | Buffer) =>
    Promise.race([failed, new Promise<void>((done) => socket.write(bytes, () => done()))])
  await write(`${head.join('\r\n')}\r\n\r\n`)
  for (const piece of pieces) await write(piece)
  return socket
}

async function nextStatus(socket: Socket): Promise<number> {
  let received = ''
  for await (const piece of socket.iterator({ destroyOnReturn: false })) {
    received += piece
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1])
    const end = received.indexOf('\r\n\r\n')
    if (end >= 0 && received.length >= end + 4 + length) return Number(received.slice(9, 12))
  }
  throw new Error('the connection ended without an answer')
}

function* pieces(count: number): Generator<Buffer> {
  for (let place = 0; place < count; place += 1) yield PIECE
}

function* chunked(count: number): Generator<Buffer> {
  for (let place = 0; place < count; place += 1) yield CHUNK
  yield Buffer.from('0\r\n\r\n')
}

describeEachEngine('a request that is rejected before it was read', (app) => {
  const COUNT = 48
  /** More than the server reads of a caller that it does not know, and less than the buffers of the system hold. */
  const BUFFERED = 8
  const contentLength = `Content-Length: ${COUNT * PIECE.length}`
  const host = 'Host: localhost'
  const wrongKey = 'Authorization: Bearer nobody'

  describe.each([
    ['traces without a key', 401, ['POST /v1/traces HTTP/1.1', host, 'Content-Type: application/x-protobuf', wrongKey]],
    ['a path that is not there', 404, ['POST /api/v1/nothing HTTP/1.1', host, 'Content-Type: application/json']],
    [
      'the API without a key',
      401,
      ['POST /api/v1/components HTTP/1.1', host, 'Content-Type: application/json', wrongKey],
    ],
  ])('%s', (_, status, head) => {
    it('gets a response, and the connection can be used again', async () => {
      const socket = await writeThenRead(app().url, [...head, `Content-Length: ${PIECE.length}`], pieces(1))
      expect(await nextStatus(socket)).toBe(status)
      socket.write(`GET /health HTTP/1.1\r\n${host}\r\n\r\n`)
      expect(await nextStatus(socket)).toBe(200)
      socket.destroy()
    })

    it('gets a response also without a Content-Length', async () => {
      const socket = await writeThenRead(app().url, [...head, 'Transfer-Encoding: chunked'], chunked(BUFFERED))
      expect(await nextStatus(socket)).toBe(status)
      socket.destroy()
    })

    it('gets a response to more than is read, and the connection is closed', async () => {
      const length = `Content-Length: ${BUFFERED * PIECE.length}`
      const socket = await writeThenRead(app().url, [...head, length], pieces(BUFFERED))
      expect(await nextStatus(socket)).toBe(status)
      await expect(nextStatus(socket)).rejects.toThrow(/ended without an answer|ECONNRESET/)
    })
  })

  it('of an accepted key can be used again after any amount of written data', async () => {
    const { client, key } = await app().newWorkspace()
    expect((await client.get('/workspace')).status).toBe(200)
    const head = ['POST /api/v1/nothing HTTP/1.1', host, `Authorization: Bearer ${key}`, contentLength]
    const socket = await writeThenRead(app().url, head, pieces(COUNT))
    expect(await nextStatus(socket)).toBe(404)
    socket.write(`GET /health HTTP/1.1\r\n${host}\r\n\r\n`)
    expect(await nextStatus(socket)).toBe(200)
    socket.destroy()
  })

  it('a body that is too large is 413 to a client that writes all of it', async () => {
    const { client, key } = await app().newWorkspace()
    expect((await client.get('/workspace')).status).toBe(200)
    const head = ['POST /api/v1/components HTTP/1.1', host, 'Content-Type: application/json']
    const auth = `Authorization: Bearer ${key}`
    for (const [more, body] of [
      [contentLength, pieces(COUNT)],
      ['Transfer-Encoding: chunked', chunked(COUNT)],
    ] as const) {
      const socket = await writeThenRead(app().url, [...head, auth, more], body)
      expect(await nextStatus(socket)).toBe(413)
      socket.destroy()
    }
  })

  it('an endless body is not read forever', async () => {
    function* endless() {
      for (;;) yield CHUNK
    }
    const head = ['POST /v1/traces HTTP/1.1', host, wrongKey, 'Transfer-Encoding: chunked']
    await expect(writeThenRead(app().url, head, endless())).rejects.toThrow(/EPIPE|ECONNRESET/)
  })
})
