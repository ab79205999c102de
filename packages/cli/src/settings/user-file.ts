/** The file of the user with one key per server. Only its owner may read it; it is replaced atomically. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'

export interface StoredServer {
  apiKey: string
  keyId?: string
  workspaceName?: string
  role?: string
  /** Of the key. */
  expiresAt?: string
}

export interface UserFile {
  /** The server of the last login. */
  url?: string
  servers: Record<string, StoredServer>
}

export function userFilePath(env: Record<string, string | undefined>): string {
  const base = env['XDG_CONFIG_HOME']
  // The specification of XDG: a relative path is ignored.
  return join(base?.startsWith('/') ? base : join(env['HOME'] || homedir(), '.config'), 'touchstone', 'config.json')
}

/** An empty file if there is none. `warn` gets a message if others can read the keys. */
export function readUserFile(path: string, warn: (message: string) => void): UserFile {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      warn(`Other users can access ${path}, which contains API keys: run chmod 600 ${path}`)
    }
  } catch (error) {
    if (isMissing(error)) return { servers: {} }
    throw new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : error}`, EXIT.unexpected)
  }
  const value = parseJson(text)
  if (!isObject(value) || !isObject(value['servers'])) {
    throw new CliError(`${path} is not a file of this program. Delete it and log in again.`, EXIT.unexpected)
  }
  const { url } = value
  const servers = Object.entries(value['servers']).filter((entry): entry is [string, StoredServer] =>
    isStored(entry[1]),
  )
  return { ...(typeof url === 'string' && { url }), servers: Object.fromEntries(servers) }
}

/** Never leaves half a file: a new one replaces the old one in a single step. */
export function writeUserFile(path: string, file: UserFile): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const next = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(next, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(next, path)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}

function isStored(value: unknown): value is StoredServer {
  return isObject(value) && typeof value['apiKey'] === 'string'
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}
