/** Exporters take a 401 as final and drop their spans: a server must not give one to a key that it is about to create. */
import { createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'

const KEY = 'the-key-that-exists-from-the-first-request-on'
const STARTS = 4

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = Object(server.address())
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Retries until there is a response, and returns it. */
async function firstAnswer(url: string, headers: Record<string, string>): Promise<number> {
  for (;;) {
    const answer = await fetch(url, { headers }).catch(() => undefined)
    if (answer) return answer.status
    await setImmediate()
  }
}

describeEngines('the first response of a new server', (engine) => {
  it('finds the key and the account of the settings, and readiness is not reported earlier', async () => {
    const statuses: number[] = []
    for (let start = 0; start < STARTS; start += 1) {
      const database = await createTestDatabase(engine, 'migrated')
      const port = await freePort()
      const config = readConfig({
        DATABASE_URL: database.url,
        PORT: String(port),
        TOUCHSTONE_LOG_LEVEL: 'silent',
        TOUCHSTONE_OTLP_GRPC_PORT: 'off',
        TOUCHSTONE_SECRET_KEY: '5e'.repeat(32),
        TOUCHSTONE_API_KEY: KEY,
        TOUCHSTONE_ADMIN_EMAIL: 'admin@example.com',
        TOUCHSTONE_ADMIN_PASSWORD: 'correct horse, charged battery',
      })
      const url = `http://127.0.0.1:${port}`
      const authorization = `Bearer ${KEY}`
      const first = firstAnswer(`${url}/api/v1/workspace`, { authorization })
      const ready = firstAnswer(`${url}/ready`, {}).then(async (status) => {
        const after = await fetch(`${url}/api/v1/workspace`, { headers: { authorization } })
        return [status, after.status]
      })
      const app = await startApp({ config, serves: true, works: false })
      statuses.push(await first, ...(await ready))
      await app.close()
      database.remove()
    }
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
