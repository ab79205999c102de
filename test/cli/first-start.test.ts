import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createClient } from '../harness/client.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { makeFolder, type ServerProcess, startServer } from '../harness/server-process.ts'
import { openTestStorage } from '../harness/test-storage.ts'

const EMAIL = 'ann@example.com'
const PASSWORD = 'correct horse, charged battery'
const KEY = 'a-key-that-a-platform-hands-out-0123456789'

describeEngines('the first start', (engine) => {
  it('prints address, set-up link, key, an example and the data folder; the link works once', async () => {
    const database = await createTestDatabase(engine)
    const environment = { TOUCHSTONE_API_KEY: '' }
    const server = await startServer(database.url, { environment })
    const key = /API key {3}(\S+)/.exec(server.output)?.[1] ?? ''
    const place = database.url.replace(/^file:/, '')
    expect(server.output).toContain(`Open      ${server.url}\n`)
    expect(server.output).toContain(`Data      ${place}\n`)
    expect(server.output).toContain(`Try       curl -H "Authorization: Bearer ${key}" ${server.url}/api/v1/workspace\n`)
    expect(server.output).toContain(`Shell     export TOUCHSTONE=${server.url} TOUCHSTONE_API_KEY=${key}\n`)
    expect((await server.withKey(key).get('/workspace')).status).toBe(200)

    const token = tokenOf(server)
    const anonymous = createClient(server.url, {})
    const account = { token, name: 'Ann', email: EMAIL, password: PASSWORD }
    expect((await anonymous.post('/setup', { ...account, token: 'wrong' })).status).toBe(401)
    expect((await anonymous.post('/setup', account)).status).toBe(201)
    expect((await anonymous.post('/setup', { ...account, email: 'eve@example.com' })).status).toBe(409)
    expect(await signIn(server)).toBe(200)
    await server.kill()

    const again = await startServer(database.url, { environment })
    expect(again.output).not.toMatch(/Set up|API key/)
    // The key is not known any more; the port is another one.
    expect(again.output).toContain(`Shell     export TOUCHSTONE=${again.url}\n`)
    expect((await again.withKey(key).get('/workspace')).status).toBe(200)
    expect(await signIn(again)).toBe(200)
    await again.kill()
    database.remove()
  })

  it('an unused link is replaced by the next start', { tags: 'deep' }, async () => {
    const database = await createTestDatabase(engine)
    const first = await startServer(database.url)
    const old = tokenOf(first)
    await first.kill()
    const second = await startServer(database.url)
    const account = { name: 'Ann', email: EMAIL, password: PASSWORD }
    const anonymous = createClient(second.url, {})
    expect((await anonymous.post('/setup', { ...account, token: old })).status).toBe(401)
    expect((await anonymous.post('/setup', { ...account, token: tokenOf(second) })).status).toBe(201)
    await second.kill()
    database.remove()
  })

  it('without a person: account and key come from the environment, and a restart changes nothing', {
    tags: 'deep',
  }, async () => {
    const database = await createTestDatabase(engine)
    const environment = {
      TOUCHSTONE_ADMIN_EMAIL: EMAIL,
      TOUCHSTONE_ADMIN_PASSWORD: PASSWORD,
      TOUCHSTONE_API_KEY: KEY,
      NODE_ENV: 'production',
    }
    const first = await startServer(database.url, { environment })
    expect(first.output).not.toMatch(/Set up|API key/)
    expect(first.output).not.toContain(KEY)
    expect(await signIn(first)).toBe(200)
    expect(await first.withKey(KEY).get('/workspace')).toMatchObject({ status: 200 })
    await first.kill()
    const before = await rowsThatMatter(database.url)
    expect(before).toMatchObject({
      users: [{ email: EMAIL }],
      keys: [{ last_four: '6789' }],
      members: [{ role: 'owner' }],
    })
    const second = await startServer(database.url, { environment })
    expect(await signIn(second)).toBe(200)
    expect(await second.withKey(KEY).get('/workspace')).toMatchObject({ status: 200 })
    await second.kill()
    expect(await rowsThatMatter(database.url)).toEqual(before)
    database.remove()
  })
})

describe('settings in files, as container platforms hand out secrets', () => {
  it('account and key may come from files that end with a line break', async () => {
    const database = await createTestDatabase('sqlite')
    const { folder, remove } = makeFolder()
    const file = (name: string, content: string) => {
      writeFileSync(join(folder, name), `${content}\n`)
      return join(folder, name)
    }
    const environment = {
      TOUCHSTONE_ADMIN_EMAIL_FILE: file('email', EMAIL),
      TOUCHSTONE_ADMIN_PASSWORD_FILE: file('password', PASSWORD),
      TOUCHSTONE_API_KEY: '',
      TOUCHSTONE_API_KEY_FILE: file('key', KEY),
    }
    const server = await startServer(database.url, { environment })
    expect(await signIn(server)).toBe(200)
    expect(await server.withKey(KEY).get('/workspace')).toMatchObject({ status: 200 })
    await server.kill()
    database.remove()
    remove()
  })
})

const tokenOf = ({ output }: ServerProcess) => /setup#(\S+)/.exec(output)?.[1] ?? ''

async function signIn({ url }: ServerProcess): Promise<number> {
  const body = { email: EMAIL, password: PASSWORD }
  return (await createClient(url, {}).post('/api/auth/sign-in/email', body)).status
}

async function rowsThatMatter(url: string) {
  const storage = await openTestStorage(url, 'command')
  const users = await storage.read.selectFrom('users').selectAll().execute()
  const accounts = await storage.read.selectFrom('accounts').selectAll().execute()
  const keys = await storage.read.selectFrom('api_keys').select(['id', 'key_hash', 'last_four', 'name']).execute()
  const members = await storage.read.selectFrom('members').selectAll().execute()
  const workspaces = await storage.read.selectFrom('workspaces').selectAll().execute()
  await storage.close()
  return { users, accounts, keys, members, workspaces }
}
