import { existsSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { INTERFACE_FOLDER } from '../../src/app-server.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { receiveBytes } from '../harness/received-bytes.ts'

/** The interface is not built everywhere. */
const SAME_FOR_EVERYONE = ['/api/v1/openapi.json', ...(existsSync(`${INTERFACE_FOLDER}/theme.js`) ? ['/theme.js'] : [])]

describeEachEngine('a response', (app) => {
  let client: Client
  let key = ''
  let component = ''

  beforeAll(async () => {
    ;({ client, key } = await app().newWorkspace())
    component = await client.create('/components', { name: 'short' })
    for (let number = 0; number < 10; number += 1) await client.create('/components', { name: `component ${number}` })
    await sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(1), attributes: { long: 'a'.repeat(2_000) } }])
  })

  async function receive(path: string, accepted: string | undefined, method = 'GET') {
    const headers = { authorization: `Bearer ${key}`, ...(accepted !== undefined && { 'accept-encoding': accepted }) }
    return receiveBytes(`${app().url}/api/v1${path}`, headers, method)
  }

  const DECOMPRESS = { br: brotliDecompressSync, gzip: gunzipSync }

  describe.each(['/components', `/traces/${traceIdOf(1)}`, '/openapi.json'])('of GET %s', (path) => {
    it.each([
      ['br', 'gzip, deflate, br, zstd'],
      ['gzip', 'gzip'],
      ['gzip', 'br;q=0, GZIP;q=0.5'],
    ] as const)(
      'is compressed with %s for a client that accepts %s, and is the same text',
      async (encoding, accepted) => {
        const { status, headers, bytes } = await receive(path, accepted)
        expect([status, headers['content-encoding'], headers.vary]).toEqual([200, encoding, 'accept-encoding'])
        const plain = await receive(path, undefined)
        expect(DECOMPRESS[encoding](bytes).equals(plain.bytes)).toBe(true)
        expect(bytes.length).toBeLessThan(plain.bytes.length)
        if (headers['content-length'] !== undefined) expect(Number(headers['content-length'])).toBe(bytes.length)
      },
    )

    it.each([undefined, '', 'identity', 'br;q=0', 'gzip;q=0.000, br; q=0', 'zstd, *;q=0'])(
      'is sent as it is for a client that accepts %s',
      async (accepted) => {
        const { headers } = await receive(path, accepted)
        expect(headers['content-encoding']).toBeUndefined()
        expect(headers.vary).toBe(path === '/openapi.json' ? 'accept-encoding' : undefined)
      },
    )
  })

  it.each(SAME_FOR_EVERYONE)(
    'that is the same for everyone (%s) has an ETag for each encoding, and is 304 for a client that has it',
    async (path) => {
      const tags = new Set<unknown>()
      for (const encoding of ['br', 'gzip', 'identity']) {
        const given = async (match: string) =>
          receiveBytes(`${app().url}${path}`, { 'accept-encoding': encoding, 'if-none-match': match })
        const { headers } = await given('"other"')
        tags.add(headers.etag)
        for (const match of [String(headers.etag), `"a", W/${headers.etag}`, '*']) {
          const again = await given(match)
          expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, headers.etag])
        }
      }
      expect(tags.size).toBe(3)
    },
  )

  it('below 1 kB is sent uncompressed, and so is an error', async () => {
    expect((await receive(`/components/${component}`, 'br')).headers['content-encoding']).toBeUndefined()
    const { status, headers, bytes } = await receive('/components?limit=0', 'br')
    expect([status, headers['content-encoding']]).toEqual([400, undefined])
    expect(Object.keys(JSON.parse(bytes.toString()))).toEqual(['error'])
  })

  it('to HEAD has no content', async () => {
    const { status, headers, bytes } = await receive('/components', 'br', 'HEAD')
    expect([status, headers['content-encoding'], bytes.length]).toEqual([200, undefined, 0])
  })

  it('with server-sent events is sent uncompressed, so that each event arrives at once', async () => {
    const datasetId = await client.create(`/components/${component}/datasets`, { name: 'D' })
    const evaluation = await client.create(`/components/${component}/evaluations`, { datasetId })
    const { headers, bytes } = await receive(`/components/${component}/evaluations/${evaluation}/events`, 'br')
    expect(headers['content-type']).toContain('text/event-stream')
    expect(headers['content-encoding']).toBeUndefined()
    expect(bytes.toString()).toContain('data:')
  })
})
