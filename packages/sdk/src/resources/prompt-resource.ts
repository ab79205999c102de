import { activeSpan } from '../active-span.ts'
import type { NewPromptContent, ServedPrompt } from '../generated/api.ts'
import type { CallOptions, HttpSender } from '../http-sender.ts'
import { chooseSplit } from '../prompts/choose-version.ts'
import { type LoadedPrompt, loadedPrompt } from '../prompts/loaded-prompt.ts'
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
  /** Returned if there is no such prompt or label, or no response. With a fallback, only one attempt is made by default. */
  fallback?: NewPromptContent | undefined
}

type Place = { component: string; name: string; label: string }
type ReadOptions = Pick<CallOptions, 'timeoutMs' | 'maxRetries'>

interface Entry {
  componentId: string
  served: ServedPrompt
  etag: string | undefined
  checkedAtMs: number
  isStale: boolean
}

/**
 * Prompts as their labels serve them. A response is used for ten seconds; after that it is still returned at once, and refreshed in the
 * background. It is dropped only when the server responds that the prompt or the label is gone.
 */
export class PromptResource {
  readonly #sender: HttpSender
  readonly #components: ComponentResource
  readonly #nowMs: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #requests = new Map<string, Promise<Entry>>()

  constructor(sender: HttpSender, components: ComponentResource, nowMs: () => number = () => performance.now()) {
    this.#sender = sender
    this.#components = components
    this.#nowMs = nowMs
  }

  async get(name: string, options: GetPromptOptions): Promise<LoadedPrompt> {
    const { label = 'production', component } = options
    const prompt = await this.#load({ component, name, label }, options)
    activeSpan()?.setAttributes(prompt.attributes)
    return prompt
  }

  async #load(place: Place, { key, fallback, timeoutMs, maxRetries }: GetPromptOptions): Promise<LoadedPrompt> {
    const known = this.#entries.get(JSON.stringify(Object.values(place)))
    if (known) {
      const isFresh = this.#nowMs() - known.checkedAtMs < FRESH_MS
      // A failure has marked the entry, or dropped it.
      if (!isFresh) this.#read(place, { timeoutMs: timeoutMs ?? REFRESH_TIMEOUT_MS, maxRetries: 0 }).catch(() => {})
      return choose(known, key, { ...place, source: 'memory' })
    }
    try {
      const attempts = maxRetries ?? (fallback && 0)
      return await choose(await this.#read(place, { timeoutMs, maxRetries: attempts }), key, {
        ...place,
        source: 'network',
      })
    } catch (error) {
      if (!fallback || !(error instanceof TouchstoneError)) throw error
      return loadedPrompt({ ...place, source: 'fallback', content: fallback })
    }
  }

  /** One request at a time for each label: those who ask meanwhile get its result. */
  #read(place: Place, options: ReadOptions): Promise<Entry> {
    const entryKey = JSON.stringify(Object.values(place))
    const running = this.#requests.get(entryKey)
    if (running) return running
    const request = this.#request(place, this.#entries.get(entryKey), options)
      .then(
        (entry) => {
          this.#entries.set(entryKey, entry)
          return entry
        },
        (error) => {
          const known = this.#entries.get(entryKey)
          if (isGone(error)) this.#entries.delete(entryKey)
          else if (known) this.#entries.set(entryKey, { ...known, checkedAtMs: this.#nowMs(), isStale: true })
          throw error
        },
      )
      .finally(() => this.#requests.delete(entryKey))
    this.#requests.set(entryKey, request)
    return request
  }

  async #request({ component, name, label }: Place, known: Entry | undefined, options: ReadOptions): Promise<Entry> {
    const findId = async () => (await findNamedComponent(this.#components, component, options)).id
    const componentId = known?.componentId ?? (UUID.test(component) ? component : await findId())
    const { body, headers } = await this.#sender.send({
      method: 'GET',
      path: SERVED,
      params: { componentId, name },
      query: { label },
      ...(known?.etag !== undefined && { headers: { 'if-none-match': known.etag } }),
      ...options,
    })
    const served = known && body === undefined ? known.served : body
    if (!isServedPrompt(served)) throw new ResponseError(`The response of ${this.#sender.baseUrl} is not a prompt.`)
    const etag = headers.get('etag') ?? (served === known?.served ? known?.etag : undefined)
    return { componentId, served, etag, checkedAtMs: this.#nowMs(), isStale: false }
  }
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

function isServedPrompt(body: unknown): body is ServedPrompt {
  return typeof body === 'object' && body !== null && 'splits' in body && Array.isArray(body.splits)
}
