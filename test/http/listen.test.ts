import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { startTestApp } from '../harness/test-app.ts'

it('HOST=localhost is one address, so that every connection counts to the limits', async () => {
  const database = await createTestDatabase('sqlite', 'migrated')
  const app = await startTestApp(database.url, { environment: { HOST: 'localhost' } })
  try {
    expect((await app.anonymous.get('/health')).status).toBe(200)
    const other = connect({ host: '::1', port: Number(new URL(app.url).port) })
    await expect(once(other, 'connect')).rejects.toMatchObject({
      code: expect.stringMatching(/ECONNREFUSED|EADDRNOTAVAIL|EAFNOSUPPORT/),
    })
  } finally {
    await app.close()
    database.remove()
  }
})

it.each(['192.0.2.1', 'no-such-name.invalid'])('HOST=%s ends the start with what is wrong', async (host) => {
  const database = await createTestDatabase('sqlite', 'migrated')
  await expect(startTestApp(database.url, { environment: { HOST: host } })).rejects.toThrow(
    `HOST ${host} is not an address of this machine`,
  )
  database.remove()
})
