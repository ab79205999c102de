/** Providers are asked by https, and only those whose certificate is trusted. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer } from 'node:https'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEgress, type Egress } from '../../src/egress/egress-guard.ts'
import { type Certificate, createCertificate } from '../harness/certificate.ts'
import { clientOf, errorOf, QUESTION, startModelClient } from './start-model-client.ts'

const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0
if (!hasOpenssl) console.warn('\n  !! Certificates of providers are not tested: openssl is not installed.\n')

/** Answers every question with the same verdict. */
async function startTlsServer(certificate: Certificate): Promise<string> {
  const message = { role: 'assistant', content: '{"reason": "by TLS", "score": 3}' }
  const server = createServer(certificate, (req, res) => {
    req.resume().on('end', () => res.end(JSON.stringify({ choices: [{ message }] })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `https://127.0.0.1:${address.port}/v1`
}

describe('by https', () => {
  it.runIf(hasOpenssl)(
    'sends a request to a provider with a trusted certificate, and nothing to one with another',
    async () => {
      const certificate = createCertificate()
      const baseUrl = await startTlsServer(certificate)
      const agent = new Agent({ ca: certificate.cert })
      const trusting: Egress = {
        check: async (url) => new URL(url),
        agentFor: () => agent,
        checkAllowable: async (target) => target,
      }
      const answer = await clientOf(baseUrl, { client: { egress: trusting } }).complete(QUESTION)
      expect(answer.value).toEqual({ reason: 'by TLS', score: 3 })

      const error = await errorOf(clientOf(baseUrl).complete(QUESTION))
      expect(error).toMatchObject({
        kind: 'permanent',
        message: 'my-openai could not be reached: its certificate is not trusted',
      })
    },
  )

  it('a server without TLS gets no request', async () => {
    const { server } = await startModelClient()
    const egress = createEgress({ allowed: ['127.0.0.1'] })
    const client = clientOf(server.baseUrl.replace('http:', 'https:'), { client: { egress } })
    const error = await errorOf(client.complete(QUESTION))
    expect(error).toMatchObject({
      kind: 'permanent',
      message: 'my-openai could not be reached: it does not support TLS on this port',
    })
    expect(server.requests).toHaveLength(0)
  })
})
