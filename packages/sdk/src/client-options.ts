import { TouchstoneError } from './sdk-errors.ts'

export interface TouchstoneOptions {
  /** Default: the environment variable `TOUCHSTONE_API_KEY`. */
  apiKey?: string | undefined
  /** The address of the server, as `npm start` prints it. Default: `TOUCHSTONE_URL`, then `TOUCHSTONE`, then http://127.0.0.1:3000. */
  baseUrl?: string | undefined
  /** Of one attempt. Default: 60,000. */
  timeoutMs?: number | undefined
  /** Attempts after the first one. Default: 2. */
  maxRetries?: number | undefined
  /** Replaces the global `fetch`, for example to use a proxy. */
  fetch?: typeof fetch | undefined
  /** Sent with every request. */
  headers?: Record<string, string> | undefined
  /** Keeps prompts in files of this folder, for programs that start while the server is away. Default: in memory only. */
  promptFolder?: string | undefined
}

export interface ClientSettings {
  apiKey: string
  baseUrl: string
  timeoutMs: number
  maxRetries: number
  fetch: typeof fetch
  headers: Record<string, string>
  promptFolder: string | undefined
}

const DEFAULT_URL = 'http://127.0.0.1:3000'

export function readClientSettings(
  options: TouchstoneOptions,
  environment: Record<string, string | undefined>,
): ClientSettings {
  return {
    apiKey: readApiKey(options.apiKey ?? environment['TOUCHSTONE_API_KEY']),
    baseUrl: readBaseUrl(
      options.baseUrl ?? (environment['TOUCHSTONE_URL'] || environment['TOUCHSTONE'] || DEFAULT_URL),
    ),
    timeoutMs: readNumber('timeoutMs', options.timeoutMs ?? 60_000, 1),
    maxRetries: readNumber('maxRetries', options.maxRetries ?? 2, 0),
    // Not `fetch` itself: programs replace the global one later, to record or to mock requests.
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    headers: options.headers ?? {},
    promptFolder: readFolder(options.promptFolder),
  }
}

function readApiKey(apiKey: string | undefined): string {
  const key = apiKey?.trim()
  if (!key) throw new TouchstoneError('There is no API key: pass apiKey, or set TOUCHSTONE_API_KEY.')
  // `fetch` would reject it with a message that contains it.
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TouchstoneError('The API key contains characters that no API key has.')
  return key
}

/** Accepts an address with or without the path of the API, because both are printed in many places. */
function readBaseUrl(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new TouchstoneError('baseUrl must be an address such as http://127.0.0.1:3000.')
  }
  if (url.username || url.password) throw new TouchstoneError('baseUrl must not contain a user name or a password.')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api\/v1$/, '')
}

function readFolder(folder: string | undefined): string | undefined {
  // The files would be in the folder in which the program happens to start.
  if (folder === '') throw new TouchstoneError('promptFolder must be the path of a folder.')
  return folder
}

function readNumber(name: string, value: number, min: number): number {
  if (!Number.isFinite(value) || value < min) {
    throw new TouchstoneError(`${name} must be a number, at least ${min}.`)
  }
  return value
}
