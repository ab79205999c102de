/** What reaches a server: the last word about an address has the connection itself. */
import { createServer, request, type Server } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { AppError } from '../../src/base/errors.ts'
import { createEgress, type Egress, type Resolve } from '../../src/egress/egress-guard.ts'

const PUBLIC = '93.184.216.34'

/** A world in which every name leads to the same addresses. */
function resolvingTo(...addresses: string[]): Resolve {
  return async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

describe('a connection', () => {
  let server: Server
  let port = 0
  const seen: { host: string | undefined; connections: number } = { host: undefined, connections: 0 }

  beforeAll(async () => {
    server = createServer((req, res) => {
      seen.host = req.headers.host
      res.end('here')
    })
    server.on('connection', () => {
      seen.connections += 1
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address: AddressInfo | string | null = server.address()
    port = typeof address === 'object' && address ? address.port : 0
  })
  beforeEach(() => {
    seen.connections = 0
    seen.host = undefined
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  /** The text of the answer, or the error. */
  function send(egress: Egress, url: string): Promise<string | Error> {
    const target = new URL(url)
    const open = target.protocol === 'https:' ? httpsRequest : request
    return new Promise((resolve) => {
      const sent = open(target, { agent: egress.agentFor(target) }, (res) => {
        res.setEncoding('utf8').on('data', resolve)
      })
      sent.on('error', resolve).end()
    })
  }

  it('goes to the checked address, with the requested host name', async () => {
    let looks = 0
    const resolve: Resolve = async () => {
      looks += 1
      return [{ address: '127.0.0.1', family: 4 }]
    }
    const egress = createEgress({ allowed: ['model.internal'], resolve })
    expect(await send(egress, `http://model.internal:${port}/v1`)).toBe('here')
    expect(seen.host).toBe(`model.internal:${port}`)
    // One look: were there a second one, its answer could be another.
    expect(looks).toBe(1)
  })

  it('is not opened if the name resolves to a private address by now, although it was public when it was checked', async () => {
    const answers = [PUBLIC, '127.0.0.1']
    const resolve: Resolve = async () => [{ address: answers.shift() ?? '127.0.0.1', family: 4 }]
    const egress = createEgress({ allowed: [], resolve })
    expect((await egress.check('https://rebinding.example/v1')).hostname).toBe('rebinding.example')
    const answer = await send(egress, `https://rebinding.example/v1`)
    expect(answer).toMatchObject({
      status: 503,
      message: expect.stringMatching(/was not found on the public internet/),
    })
    expect(seen.connections).toBe(0)
  })

  it('is not opened if any of the addresses is private, in any order', async () => {
    for (const addresses of [
      [PUBLIC, '127.0.0.1'],
      ['127.0.0.1', PUBLIC],
    ]) {
      const egress = createEgress({ allowed: [`rebinding.example:${port + 1}`], resolve: resolvingTo(...addresses) })
      expect(await send(egress, `http://rebinding.example:${port}`)).toBeInstanceOf(AppError)
    }
    expect(seen.connections).toBe(0)
  })

  it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]', '0x7f.1', '0', 'localhost'])(
    'is not made to %s, which needs no resolver of ours to be reached',
    async (host) => {
      const egress = createEgress({ allowed: [] })
      for (const scheme of ['http', 'https'])
        expect(await send(egress, `${scheme}://${host}:${port}/`)).toBeInstanceOf(AppError)
      expect(seen.connections).toBe(0)
    },
  )

  it('by the agent of an allowed address reaches no other', async () => {
    const egress = createEgress({ allowed: [`127.0.0.1:${port + 1}`] })
    const agent = egress.agentFor(new URL(`http://127.0.0.1:${port + 1}`))
    const failure = await new Promise((resolve) => {
      request({ host: '127.0.0.1', port, agent }).on('error', resolve).on('response', resolve).end()
    })
    expect(failure).toBeInstanceOf(AppError)
    expect(seen.connections).toBe(0)
  })

  it('that fails because the name is unknown is retried', async () => {
    const egress = createEgress({ allowed: [], resolve: resolvingTo() })
    expect(await send(egress, 'https://nowhere.example')).toMatchObject({ status: 503 })
  })

  it('that is rejected is not cached: the next request to the same host is checked again', async () => {
    const answers = ['10.0.0.1', '127.0.0.1']
    const resolve: Resolve = async () => [{ address: answers.shift() ?? '', family: 4 }]
    const egress = createEgress({ allowed: ['127.0.0.1'], resolve })
    expect(await send(egress, `http://changing.example:${port}`)).toBeInstanceOf(AppError)
    expect(await send(egress, `http://changing.example:${port}`)).toBe('here')
  })
})
