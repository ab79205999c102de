/** Where each setting comes from: a flag, then the environment, then touchstone.yaml, then the file of the user. */
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import type { ProjectFile } from './project-file.ts'
import { DEFAULT_URL, readServerUrl } from './server-url.ts'
import { readUserFile, type StoredServer, userFilePath } from './user-file.ts'

export interface Settings {
  url: string
  urlSource: string
  apiKey: string | undefined
  keySource: string
  /** Of a key that `login` has stored. */
  stored: StoredServer | undefined
}

interface Sources {
  flags: { url?: string | undefined }
  env: Record<string, string | undefined>
  project: ProjectFile | undefined
  warn(message: string): void
}

export function resolveSettings({ flags, env, project, warn }: Sources): Settings {
  const path = userFilePath(env)
  const file = readUserFile(path, warn)
  const candidates: [string | undefined, string][] = [
    [flags.url, '--url'],
    [env['TOUCHSTONE_URL'], 'TOUCHSTONE_URL'],
    [env['TOUCHSTONE'], 'TOUCHSTONE'],
    [project?.url, project?.path ?? ''],
    [file.url, path],
    [DEFAULT_URL, 'default'],
  ]
  const [address = DEFAULT_URL, urlSource = 'default'] = candidates.find(([value]) => value) ?? []
  const url = readServerUrl(address, urlSource)
  const fromEnvironment = env['TOUCHSTONE_API_KEY']?.trim()
  // A stored key is only sent to the server that it was stored for: the file of a project could name another one.
  const stored = Object.hasOwn(file.servers, url) ? file.servers[url] : undefined
  return {
    url,
    urlSource,
    apiKey: fromEnvironment || stored?.apiKey,
    keySource: fromEnvironment ? 'TOUCHSTONE_API_KEY' : stored ? path : 'none',
    stored: fromEnvironment ? undefined : stored,
  }
}

/** The key of the settings. Throws with what to do if there is none. */
export function requireKey({ apiKey, url }: Settings): string {
  if (apiKey) return apiKey
  throw new CliError(
    `There is no API key for ${url}. Run touchstone login, or set TOUCHSTONE_API_KEY.`,
    EXIT.authentication,
  )
}
