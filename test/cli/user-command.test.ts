import { expect, it } from 'vitest'
import { createClient } from '../harness/client.ts'
import { runInProcess } from '../harness/command.ts'
import { createTestDatabase, describeEngines } from '../harness/each-engine.ts'
import { startServer } from '../harness/server-process.ts'

const ADMIN = { TOUCHSTONE_ADMIN_EMAIL: 'ann@example.com', TOUCHSTONE_ADMIN_PASSWORD: 'correct horse, charged battery' }
const NEW_PASSWORD = 'another horse, another battery'

describeEngines('user', (engine) => {
  it('lists accounts, prints a link for a new password, disables, enables and ends sessions, while a server runs', async () => {
    const database = await createTestDatabase(engine, 'migrated')
    const server = await startServer(database.url, { environment: ADMIN })
    const environment = { DATABASE_URL: database.url, TOUCHSTONE_PUBLIC_URL: 'https://touchstone.example' }
    const user = (...words: string[]) => runInProcess(['user', ...words], environment)
    const anonymous = createClient(server.url, {})
    const signIn = async (password: string) =>
      (await anonymous.post('/api/auth/sign-in/email', { email: 'ann@example.com', password })).status

    expect(await user('list')).toMatchObject({ code: 0, output: 'enabled   ann@example.com  Admin\n' })
    const made = await user('reset-link', 'Ann@example.com')
    expect(made).toMatchObject({
      code: 0,
      errors: expect.stringMatching(/^It works once, within 60 minutes, .*API keys/),
    })
    const [, token] = /^https:\/\/touchstone\.example\/reset#([\w-]{43})\n$/.exec(made.output) ?? []
    expect((await anonymous.post('/password-resets', { token, password: NEW_PASSWORD })).status).toBe(200)
    expect(await signIn(NEW_PASSWORD)).toBe(200)

    expect(await user('end-sessions', 'ann@example.com')).toMatchObject({ code: 0, output: 'Ended 1 session(s).\n' })
    expect((await server.client.get('/workspace')).status).toBe(200)
    expect(await user('disable', 'ann@example.com')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Disabled\./),
    })
    expect(await signIn(NEW_PASSWORD)).toBe(401)
    expect((await server.client.get('/workspace')).status).toBe(401)
    expect((await user('list')).output).toBe('disabled  ann@example.com  Admin\n')
    expect(await user('enable', 'ann@example.com')).toMatchObject({ code: 0, output: 'Enabled.\n' })
    expect(await signIn(NEW_PASSWORD)).toBe(200)
    expect((await server.client.get('/workspace')).status).toBe(200)

    await server.kill()
    database.remove()
  })
})

it('user prints its usage for wrong arguments', async () => {
  const { url, remove } = await createTestDatabase('sqlite', 'migrated')
  const wrong = [[], ['disable'], ['list', 'more'], ['promote', 'ann@example.com']]
  for (const words of wrong)
    expect(await runInProcess(['user', ...words], { DATABASE_URL: url })).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^Use `user list`/),
    })
  remove()
})
