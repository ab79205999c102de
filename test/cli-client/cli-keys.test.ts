import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCli } from '../../packages/cli/src/application.ts'
import { createTestDatabase, type TestDatabase } from '../harness/each-engine.ts'
import { type CliRun, runInCli, startCli } from '../harness/run-cli.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'

let app: TestApp
let database: TestDatabase
let folder: string
let userFile: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'touchstone-cli-keys-'))
  userFile = join(folder, 'touchstone/config.json')
  database = await createTestDatabase('sqlite', 'migrated')
  app = await startTestApp(database.url, { works: false })
})
afterAll(async () => {
  await app?.close()
  database?.remove()
  rmSync(folder, { recursive: true, force: true })
})

const settings = (key = '', url = app.url) => ({
  XDG_CONFIG_HOME: folder,
  TOUCHSTONE_URL: url,
  TOUCHSTONE_API_KEY: key,
})

describe('touchstone login', () => {
  it('gets a key by approval and none by denial, stores it readable by the owner only, and deletes it', {
    tags: 'deep',
  }, async () => {
    const { workspaceId } = await app.newWorkspace('Support')
    const browser = app.asPerson(await app.newPerson([{ workspaceId, role: 'editor' }]), workspaceId)
    const options = { env: settings(), folder }
    const login = startCli(['login'], options)
    // At the same time, because each waits for five seconds before it polls the server.
    const denied = startCli(['login'], options)
    const codeOf = ({ errors }: CliRun) => /approve the code (\w+)/.exec(errors)?.[1]
    const userCode = await waitFor('the code', async () => codeOf(login))
    const deniedCode = await waitFor('the other code', async () => codeOf(denied))
    expect(login.errors).toMatch(new RegExp(`^Open http://.+/device\\?user_code=${userCode}\n`))
    // As the page does: it shows the request, and sends the decision.
    expect((await browser.get(`/api/auth/device?user_code=${userCode}`)).status).toBe(200)
    const approval = { userCode, workspaceId, role: 'viewer' }
    expect((await browser.post('/api/auth/device/approve', approval)).status).toBe(200)
    await browser.get(`/api/auth/device?user_code=${deniedCode}`)
    expect((await browser.post('/api/auth/device/deny', { userCode: deniedCode })).status).toBe(200)
    expect(await denied.ended).toBe(3)
    expect(denied.errors).toContain('The login was denied.')
    expect(await login.ended, login.errors).toBe(0)
    expect(login.errors).toContain(`Logged in to ${app.url} as viewer of "Support". The key is stored in ${userFile}.`)

    expect(statSync(userFile).mode & 0o777).toBe(0o600)
    const { apiKey } = JSON.parse(readFileSync(userFile, 'utf8')).servers[app.url]
    expect((await app.withKey(apiKey).get('/workspace')).body).toMatchObject({ id: workspaceId })
    expect(login.output + login.errors).not.toContain(apiKey)
    const who = await runInCli(['whoami', '--json'], options)
    expect(JSON.parse(who.output)).toMatchObject({ keySource: userFile, role: 'viewer', application: 'Support' })

    const logout = await runInCli(['logout'], options)
    expect(logout).toMatchObject({ code: 0, errors: expect.stringContaining('revoke it at') })
    expect(readFileSync(userFile, 'utf8')).not.toContain(apiKey)
    expect((await runInCli(['whoami'], options)).code).toBe(3)
  })
})

describe('an API key', () => {
  const WRONG = 'tsk_Zz9Zz9Zz_a-key-that-the-server-does-not-know-0123456789'
  /** What no header can contain: the error of the runtime quotes it. */
  const MALFORMED = 'a-key-with-a-control-\u0001-character-0123456789'
  /** Arguments that let a command get further than to its own checks. */
  const ARGUMENTS: Record<string, string[]> = {
    api: ['GET', '/me'],
    completion: ['bash'],
    'traces push': ['-'],
    'datasets import': ['-', '--format', 'jsonl'],
  }
  /** They wait for something that does not happen here. */
  const WAITING = ['login', 'traces tail']

  async function run(command: string, source: 'environment' | 'file', key: string, url = app.url) {
    mkdirSync(join(folder, 'touchstone'), { recursive: true })
    const stored = { url, servers: source === 'file' ? { [url]: { apiKey: key } } : {} }
    writeFileSync(userFile, JSON.stringify(stored), { mode: 0o600 })
    const words = [...command.split(' '), ...(ARGUMENTS[command] ?? placeholders(command)), '--debug']
    const env = settings(source === 'environment' ? key : '', url)
    const started = startCli(words, { env, folder, input: '{"name":"a","input":"b"}\n' })
    if (WAITING.includes(command)) {
      await waitFor('its first message', async () => started.errors !== '' || undefined)
      started.interrupt()
    }
    await started.ended
    return started.output + started.errors
  }

  it('is printed by no command, whether it works, is rejected or cannot even be sent', async () => {
    const { key, client } = await app.newWorkspace()
    await client.create('/components', { name: 'Greeter' })
    writeFileSync(join(folder, 'touchstone.yaml'), 'component: Greeter\ndataset: Questions\nrun: first\n')
    expect(commands.size).toBeGreaterThan(25)
    for (const command of commands.keys()) {
      for (const source of ['environment', 'file'] as const) {
        for (const given of [key, WRONG, MALFORMED]) {
          expectHidden({ command, source, given }, await run(command, source, given))
        }
      }
    }
  })

  it('is printed by no command, even if the server repeats it in its errors', async () => {
    const echo = createServer(({ headers }, res) => {
      res.writeHead(400, { 'content-type': 'application/json' })
      res.end(JSON.stringify({ error: `Not accepted: ${headers.authorization}` }))
    })
    echo.listen(0, '127.0.0.1')
    await once(echo, 'listening')
    const { port } = Object(echo.address())
    const texts = new Map<string, string>()
    for (const command of commands.keys()) {
      texts.set(command, await run(command, 'file', WRONG, `http://127.0.0.1:${port}`))
    }
    echo.close()
    expect(texts.get('whoami')).toContain('Not accepted: Bearer [API key]')
    for (const [command, text] of texts) expectHidden({ command, given: WRONG }, text)
  })

  function expectHidden(of: { command: string; source?: string; given: string }, text: string): void {
    const isPrinted = text.includes(of.given) || text.includes(JSON.stringify(of.given).slice(1, -1))
    expect({ ...of, isPrinted }).toEqual({ ...of, isPrinted: false })
  }
})

/** Every command by its words, from the program itself: a new one is tested without a change here. */
const commands = new Map(commandsBelow('', buildCli({ hasColor: false }).root))

type Target = ReturnType<typeof buildCli>['root']
type Command = Exclude<Target, { getAllEntries: unknown }>

function commandsBelow(prefix: string, target: Target): [string, Command][] {
  if (!('getAllEntries' in target)) return [[prefix, target]]
  return target
    .getAllEntries()
    .flatMap((entry) => commandsBelow(`${prefix} ${entry.name['convert-camel-to-kebab']}`.trim(), entry.target))
}

/** Names of things that do not exist, one for each argument. */
function placeholders(command: string): string[] {
  const positional = commands.get(command)?.parameters.positional
  return positional?.kind === 'tuple' ? positional.parameters.map(() => 'nothing') : []
}
