import { activeSpan } from '../active-span.ts'
import type { NewPromptContent } from '../generated/api.ts'
import type { CallOptions, HttpSender } from '../http-sender.ts'
import { chooseSplit } from '../prompts/choose-version.ts'
import { type LoadedPrompt, loadedPrompt } from '../prompts/loaded-prompt.ts'
import { isServedPrompt, type PromptFolder, type PromptPlace, type StoredPrompt } from '../prompts/prompt-folder.ts'
import { NameNotFoundError, NotFoundError, ResponseError, TouchstoneError } from '../sdk-errors.ts'
import type { ComponentResource } from './component-resource.ts'
import { findNamedComponent, UUID } from './find-component.ts'

const SERVED = '/components/{componentId}/served-prompts/{name}'
/** As long as the server allows. */
const FRESH_MS = 10_000
/** No caller waits for it, but a program that ends does. */
const REFRESH_TIMEOUT_MS = 10_000

export interface GetPromptOptions extends Pick<CallOptions, 'timeoutMs' | 'maxRetries'> {
  /** By id or name. */
  component: string
  /** Default: `production`. */
  label?: string | undefined
  /** Decides between the versions of a label: the user or the session. Default: the id of the active trace, else a random one. */
  key?: string | undefined
  /** Returned if there is no such prompt or label, or neither a response nor a file. Then only one attempt is made by default. */
  fallback?: NewPromptContent | undefined
}

type ReadOptions = Pick<CallOptions, 'timeoutMs' | 'maxRetries'>

interface Entry extends StoredPrompt {
  checkedAtMs: number
  isStale: boolean
  /** The server has not responded since the program began. */
  isFromDisk: boolean
}

interface PromptOptions {
  folder?: PromptFolder | undefined
  nowMs?: (() => number) | undefined
}

/**
 * Prompts as their labels serve them. A response is used for ten seconds; after that it is still returned at once, and refreshed in the
 * background. It is dropped only when the server responds that the prompt or the label is gone. With a folder, the last response is a file,
 * too: a new program reads it if the server does not respond.
 */
export class PromptResource {
  readonly #sender: HttpSender
  readonly #components: ComponentResource
  readonly #folder: PromptFolder | undefined
  readonly #nowMs: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #requests = new Map<string, Promise<Entry>>()

  constructor(sender: HttpSender, components: ComponentResource, { folder, nowMs }: PromptOptions = {}) {
    this.#sender = sender
    this.#components = components
    this.#folder = folder
    this.#nowMs = nowMs ?? (() => performance.now())
  }

  async get(name: string, options: GetPromptOptions): Promise<LoadedPrompt> {
    const { label = 'production', component } = options
    const prompt = await this.#load({ component, name, label }, options)
    activeSpan()?.setAttributes(prompt.attributes)
    return prompt
  }

  /** Resolves when no request runs in the background: for platforms that freeze a program after its response. */
  async settled(): Promise<void> {
    while (this.#requests.size > 0) await Promise.allSettled(this.#requests.values())
  }

  async #load(place: PromptPlace, { key, fallback, timeoutMs, maxRetries }: GetPromptOptions): Promise<LoadedPrompt> {
    const known = this.#entries.get(keyOf(place))
    if (known) {
      const isFresh = this.#nowMs() - known.checkedAtMs < FRESH_MS
      // A failure has marked the entry, or dropped it.
      if (!isFresh) this.#read(place, { timeoutMs: timeoutMs ?? REFRESH_TIMEOUT_MS, maxRetries: 0 }).catch(() => {})
      return choose(known, key, { ...place, source: known.isFromDisk ? 'disk' : 'memory' })
    }
    try {
      const entry = await this.#read(place, { timeoutMs, maxRetries: maxRetries ?? (fallback && 0) })
      return await choose(entry, key, { ...place, source: entry.isFromDisk ? 'disk' : 'network' })
    } catch (error) {
      if (!fallback || !(error instanceof TouchstoneError)) throw error
      return loadedPrompt({ ...place, source: 'fallback', content: fallback })
    }
  }

  /** One request at a time for each label: those who ask meanwhile get its result. */
  #read(place: PromptPlace, options: ReadOptions): Promise<Entry> {
    const entryKey = keyOf(place)
    const running = this.#requests.get(entryKey)
    if (running) return running
    const request = this.#update(place, options).finally(() => this.#requests.delete(entryKey))
    this.#requests.set(entryKey, request)
    return request
  }

  async #update(place: PromptPlace, options: ReadOptions): Promise<Entry> {
    const entryKey = keyOf(place)
    const known = this.#entries.get(entryKey)
    const stored = known ? undefined : await this.#folder?.read(place)
    const last = known ?? (stored && { ...stored, checkedAtMs: 0, isStale: true, isFromDisk: true })
    try {
      const entry = await this.#request(place, { known, last }, options)
      this.#entries.set(entryKey, entry)
      await this.#folder?.write(place, entry)
      return entry
    } catch (error) {
      if (isGone(error)) {
        this.#entries.delete(entryKey)
        await this.#folder?.remove(place)
        throw error
      }
      const kept = last && { ...last, checkedAtMs: this.#nowMs(), isStale: true }
      if (kept) this.#entries.set(entryKey, kept)
      if (!kept?.isFromDisk || !(error instanceof TouchstoneError)) throw error
      return kept
    }
  }

  /** The id of a component that was named is asked for again by a new program: another one may have the name since. */
  async #request(
    { component, name, label }: PromptPlace,
    { known, last }: { known: Entry | undefined; last: Entry | undefined },
    given: ReadOptions,
  ): Promise<Entry> {
    const options = last
      ? { timeoutMs: given.timeoutMs ?? REFRESH_TIMEOUT_MS, maxRetries: given.maxRetries ?? 0 }
      : given
    const findId = async () => (await findNamedComponent(this.#components, component, options)).id
    const componentId = known?.componentId ?? (UUID.test(component) ? component : await findId())
    const same = last?.componentId === componentId ? last : undefined
    const { body, headers } = await this.#sender.send({
      method: 'GET',
      path: SERVED,
      params: { componentId, name },
      query: { label },
      ...(same?.etag !== undefined && { headers: { 'if-none-match': same.etag } }),
      ...options,
    })
    const served = same && body === undefined ? same.served : body
    if (!isServedPrompt(served)) throw new ResponseError(`The response of ${this.#sender.baseUrl} is not a prompt.`)
    const etag = headers.get('etag') ?? (served === same?.served ? same?.etag : undefined)
    return { componentId, served, etag, checkedAtMs: this.#nowMs(), isStale: false, isFromDisk: false }
  }
}

function keyOf({ component, name, label }: PromptPlace): string {
  return JSON.stringify([component, name, label])
}

async function choose(
  { served, isStale }: Entry,
  key: string | undefined,
  { name, label, source }: Pick<LoadedPrompt, 'name' | 'label' | 'source'>,
): Promise<LoadedPrompt> {
  const [only, another] = served.splits
  const chosen = another
    ? await chooseSplit(served, key ?? activeSpan()?.spanContext().traceId ?? globalThis.crypto.randomUUID())
    : only
  if (!chosen) throw new ResponseError(`The label ${label} of the prompt ${name} serves no version.`)
  const { number: version, content } = chosen.version
  return loadedPrompt({ name, label, source, version, content, isStale })
}

/** Of the prompt, its label or its component. It is an answer, and no failure: what was served before must not be served any more. */
function isGone(error: unknown): boolean {
  return error instanceof NotFoundError || error instanceof NameNotFoundError
}
