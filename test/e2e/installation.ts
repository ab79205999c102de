import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createTestDatabase, type Engine } from '../harness/each-engine.ts'
import { freePort } from '../harness/free-port.ts'

export type Installation = AsyncDisposable & { url: string; setupLink: string }

/** A server on its first start: no account yet, and the link that makes one. */
export async function startInstallation(engine: Engine): Promise<Installation> {
  const database = await createTestDatabase(engine)
  const environment = { DATABASE_URL: database.url, PORT: String(await freePort()), TOUCHSTONE_LOG_LEVEL: 'silent' }
  const app = await startApp({ config: readConfig(environment), serves: true, works: true })
  return {
    url: app.url,
    setupLink: `${app.url}/setup#${app.firstStart.setupToken}`,
    async [Symbol.asyncDispose]() {
      await app.close()
      database.remove()
    },
  }
}
