/** Reads from the server of another tool. Its key is sent to that server only, and is never part of a message. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CliContext } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'

const RETRIES_MAX = 4
const FIRST_DELAY_MS = 500
const NOT_IMPLEMENTED = 501
/** A longer wait is a quota, which the user should know of. */
const RETRY_AFTER_MAX_SECONDS = 60

export type Query = Record<string, string | number | readonly string[] | undefined>

export interface SourceServer {
  /** Resolves with the JSON of the response. */
  get(path: string, query?: Query): Promise<unknown>
  /** Undefined for a 404, and for a 501: the server knows the path and does not offer it. */
  find(path: string, query?: Query): Promise<unknown>
  /** For searches, whose filters are in the body. They are repeated like GET requests. */
  post(path: string, body: unknown): Promise<unknown>
}

export interface SourceServerOptions {
  /** For messages: `Phoenix`. */
  name: string
  url: string | undefined
  /** The value of the header `Authorization`. */
  authorization: string | undefined
  /** What to do about a rejected key: `Set PHOENIX_API_KEY.` */
  keyHint: string
}

export function openSourceServer(
  { signal }: Pick<CliContext, 'signal'>,
  { name, url, authorization, keyHint }: SourceServerOptions,
): SourceServer {
  const base = readAddress(name, url)
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) }

  /** Undefined if the server cannot be reached or is overloaded, and may be asked again. */
  async function request(address: string, init: RequestInit, isLast: boolean): Promise<Response | undefined> {
    try {
      // A key must not follow a redirect to another server.
      const options = { ...init, headers: { ...headers, ...init.headers }, signal, redirect: 'error' } as const
      const response = await fetch(address, options)
      const isTransient = response.status === 429 || (response.status >= 500 && response.status !== NOT_IMPLEMENTED)
      if (!isTransient || isLast) return response
      await response.body?.cancel()
      await sleep(delayOf(response.headers.get('retry-after')), undefined, { signal })
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (isLast) throw new CliError(`No response from ${name} at ${base}: ${reasonOf(error)}.`, EXIT.unavailable)
      await sleep(FIRST_DELAY_MS, undefined, { signal })
      return undefined
    }
  }

  async function send(path: string, query: Query, init: RequestInit): Promise<Response> {
    const address = `${base}${path}${searchOf(query)}`
    for (let attempt = 0; ; attempt++) {
      const response = await request(address, init, attempt >= RETRIES_MAX)
      if (response) return response
    }
  }

  async function read(response: Response, path: string): Promise<unknown> {
    const { status } = response
    if (response.ok) {
      return response.json().catch(() => {
        throw new CliError(`${name} responded to ${path} with something that is not JSON.`, EXIT.unexpected)
      })
    }
    if (status === 401 || status === 403) {
      throw new CliError(`${name} rejected the key (status ${status} of ${path}). ${keyHint}`, EXIT.authentication)
    }
    // The text of the response is not printed: it may repeat the request.
    const code = status === 404 ? EXIT.notFound : status === 429 || status >= 500 ? EXIT.unavailable : EXIT.unexpected
    throw new CliError(`${name} responded with status ${status} to ${path}.`, code)
  }

  return {
    get: async (path, query = {}) => read(await send(path, query, {}), path),
    async find(path, query = {}) {
      const response = await send(path, query, {})
      return [404, NOT_IMPLEMENTED].includes(response.status) ? undefined : read(response, path)
    },
    async post(path, body) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      return read(await send(path, {}, init), path)
    },
  }
}

/** Without a user name and password: they belong in the environment, and messages contain the address. */
function readAddress(name: string, url = ''): string {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (!address || !/^https?:$/.test(address.protocol)) {
    throw new CliError(`The address of ${name} must begin with http:// or https://.`, EXIT.usage)
  }
  if (address.username || address.password) {
    throw new CliError(`The address of ${name} must not contain a password. Use the environment.`, EXIT.usage)
  }
  return `${address.origin}${address.pathname}`.replace(/\/+$/, '')
}

function searchOf(query: Query): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) search.append(key, String(one))
  }
  return search.size > 0 ? `?${search}` : ''
}

function delayOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter?.trim() || Number.NaN)
  return Number.isFinite(seconds) ? Math.min(seconds, RETRY_AFTER_MAX_SECONDS) * 1000 : FIRST_DELAY_MS
}

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed'
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}
