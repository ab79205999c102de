/**
 * Prompts on disk, for programs that start while the server is away. Each label has a file of its own, which is written under a temporary
 * name and then renamed: processes that share the folder read whole files, and the last one that writes wins. The first line of a file is
 * the SHA-256 of the rest; a file where it is not is damaged, and ignored until it is replaced. The Python SDK has the same files.
 */
import type { ServedPrompt } from '../generated/api.ts'
import { TouchstoneError } from '../sdk-errors.ts'
import { warnOnce } from '../warn-once.ts'

export interface PromptPlace {
  component: string
  name: string
  label: string
}

export interface StoredPrompt {
  componentId: string
  etag: string | undefined
  served: ServedPrompt
}

/** `baseUrl` and `apiKey` tell applications apart, whose components can have the same names. */
type FolderOptions = { folder: string; baseUrl: string; apiKey: string }
type FileSystem = typeof import('node:fs/promises')

/** Temporary files are older only if the process that wrote them was killed. */
const ABANDONED_MS = 3_600_000
const TEMPORARY = /\.prompt\.[0-9a-f-]{36}\.tmp$/

/** None of its methods throws: without its files, a program works as without a folder. */
export class PromptFolder {
  readonly #options: FolderOptions
  readonly #fs: FileSystem
  #isSwept = false

  constructor(options: FolderOptions) {
    // Not imported, because this module is part of the client for browsers, too.
    const fs = globalThis.process?.getBuiltinModule?.('node:fs/promises')
    if (!fs) throw new TouchstoneError('promptFolder needs a file system: Node 20.16 or newer.')
    this.#options = options
    this.#fs = fs
  }

  /** Undefined if there is no file, or none that can be used. */
  async read(place: PromptPlace): Promise<StoredPrompt | undefined> {
    try {
      return await parse(await this.#fs.readFile(await this.#pathOf(place), 'utf8'))
    } catch (error) {
      if (!isMissing(error)) this.#warn('read', error)
      return undefined
    }
  }

  /** Does nothing if the file has this prompt already. */
  async write(place: PromptPlace, prompt: StoredPrompt): Promise<void> {
    const stored = await this.read(place)
    if (stored && stored.etag === prompt.etag && stored.componentId === prompt.componentId) return
    try {
      await this.#fs.mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
      if (!this.#isSwept) await this.#removeAbandoned()
      this.#isSwept = true
      await this.#replace(await this.#pathOf(place), await format(prompt))
    } catch (error) {
      this.#warn('written', error)
    }
  }

  async remove(place: PromptPlace): Promise<void> {
    try {
      await this.#fs.rm(await this.#pathOf(place), { force: true })
    } catch (error) {
      this.#warn('removed', error)
    }
  }

  async #pathOf({ component, name, label }: PromptPlace): Promise<string> {
    const { folder, baseUrl, apiKey } = this.#options
    return `${folder}/${await sha256([baseUrl, apiKey, component, name, label].join('\n'))}.prompt`
  }

  async #replace(path: string, text: string): Promise<void> {
    const temporary = `${path}.${globalThis.crypto.randomUUID()}.tmp`
    try {
      await this.#fs.writeFile(temporary, text, { mode: 0o600 })
      await this.#fs.rename(temporary, path)
    } finally {
      await this.#fs.rm(temporary, { force: true })
    }
  }

  async #removeAbandoned(): Promise<void> {
    const { folder } = this.#options
    for (const name of await this.#fs.readdir(folder)) {
      if (!TEMPORARY.test(name)) continue
      const path = `${folder}/${name}`
      // Another process may rename it at this moment.
      const { mtimeMs } = await this.#fs.stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (Date.now() - mtimeMs > ABANDONED_MS) await this.#fs.rm(path, { force: true })
    }
  }

  #warn(what: 'read' | 'written' | 'removed', error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    warnOnce(`a prompt in ${this.#options.folder} cannot be ${what}: ${reason}`)
  }
}

async function format({ componentId, etag, served }: StoredPrompt): Promise<string> {
  const text = JSON.stringify({ componentId, etag, served })
  return `${await sha256(text)}\n${text}`
}

async function parse(file: string): Promise<StoredPrompt | undefined> {
  const end = file.indexOf('\n')
  const text = file.slice(end + 1)
  if (file.slice(0, end) !== (await sha256(text))) return undefined
  const { componentId, etag, served }: Partial<StoredPrompt> = Object(JSON.parse(text))
  return typeof componentId === 'string' && isServedPrompt(served) ? { componentId, etag, served } : undefined
}

export function isServedPrompt(body: unknown): body is ServedPrompt {
  return typeof body === 'object' && body !== null && 'splits' in body && Array.isArray(body.splits)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

async function sha256(text: string): Promise<string> {
  const digest = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
