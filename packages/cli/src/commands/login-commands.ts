import { hostname } from 'node:os'
import { Touchstone } from 'touchstone-sdk/client'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { requestDeviceCode, waitForKey } from '../device-flow.ts'
import { EXIT } from '../exit-code-values.ts'
import { type OpenedSettings, openSettings } from '../open-settings.ts'
import { printResource } from '../print-resource.ts'
import { readInput } from '../read-input.ts'
import { openSession } from '../session.ts'
import { readUserFile, type StoredServer, userFilePath, writeUserFile } from '../settings/user-file.ts'

/** Stores a key for the server: one that the user approves in a browser, or one from stdin. */
export async function login(this: CliContext, flags: CommonFlags & { withKey?: boolean }): Promise<void> {
  const { terminal, env } = this
  const opened = await openSettings(this, flags)
  const { url } = opened.settings
  if (!url.startsWith('https:') && !/^http:\/\/(127\.|localhost|\[::1\])/.test(url)) {
    terminal.message(`Warning: the connection to ${url} is not encrypted. The key can be read on its way.`)
  }
  const stored = flags.withKey ? { apiKey: await readKey(this) } : await askInBrowser(this, opened)
  terminal.hide(stored.apiKey)
  const client = new Touchstone({ apiKey: stored.apiKey, baseUrl: url, fetch: opened.send })
  const me = await client.request('GET', '/me', { signal: this.signal })
  const workspace = await client.request('GET', '/workspace', { signal: this.signal })
  const path = userFilePath(env)
  const file = readUserFile(path, terminal.message)
  const server: StoredServer = { ...stored, role: me.role, workspaceName: workspace.name }
  writeUserFile(path, { url, servers: { ...file.servers, [url]: server } })
  terminal.message(`Logged in to ${url} as ${me.role} of "${workspace.name}". The key is stored in ${path}.`)
  if (env['TOUCHSTONE_API_KEY']) terminal.message('Note: TOUCHSTONE_API_KEY is set, and is used instead of it.')
}

async function askInBrowser({ terminal, signal }: CliContext, opened: OpenedSettings): Promise<StoredServer> {
  const code = await requestDeviceCode(opened, hostname(), signal)
  terminal.message(`Open ${code.uri}\nand approve the code ${code.userCode}.`)
  terminal.status('Waiting for approval…')
  return waitForKey(opened, code, { signal })
}

async function readKey(context: CliContext): Promise<string> {
  if (context.stdin.isTTY) {
    throw new CliError(
      'Pass the key on stdin, so that it is not in the history of the shell: touchstone login --with-key < key.txt',
      EXIT.usage,
    )
  }
  const key = (await readInput(context, '-')).toString('utf8').trim()
  if (!/^[\x21-\x7e]+$/.test(key)) throw new CliError('There is no API key on stdin.', EXIT.usage)
  return key
}

/** Forgets the stored key of the server. The server does not let a key revoke itself. */
export async function logout(this: CliContext, flags: CommonFlags): Promise<void> {
  const { terminal, env } = this
  const { settings } = await openSettings(this, flags)
  const path = userFilePath(env)
  const file = readUserFile(path, terminal.message)
  const { [settings.url]: removed, ...servers } = file.servers
  if (!removed) throw new CliError(`There is no stored key for ${settings.url}.`, EXIT.notFound)
  const { url } = file
  writeUserFile(path, { ...(url !== undefined && url !== settings.url && { url }), servers })
  const until = removed.expiresAt ? ` until ${removed.expiresAt}` : ''
  terminal.message(`Removed the key for ${settings.url} from ${path}.`)
  terminal.message(`It is valid${until}: revoke it at ${settings.url} under Account, Personal keys.`)
}

/** The caller, and where each setting comes from. */
export async function whoami(this: CliContext, flags: CommonFlags): Promise<void> {
  const { client, settings, project } = await openSession(this, flags)
  const { signal } = this
  const me = await client.request('GET', '/me', { signal })
  const workspace = await client.request('GET', '/workspace', { signal })
  printResource(this, flags, {
    url: settings.url,
    urlSource: settings.urlSource,
    keySource: settings.keySource,
    keyExpiresAt: settings.stored?.expiresAt ?? null,
    projectFile: project?.path ?? null,
    application: workspace.name,
    applicationId: workspace.id,
    role: me.role,
    userId: me.userId,
    userName: me.name,
  })
}
