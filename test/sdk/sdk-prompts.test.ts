import { describe, expect, it } from 'vitest'
import { readClientSettings } from '../../packages/sdk/src/client-options.ts'
import { createHttpSender } from '../../packages/sdk/src/http-sender.ts'
import { chooseSplit } from '../../packages/sdk/src/prompts/choose-version.ts'
import { renderMessages } from '../../packages/sdk/src/prompts/render-messages.ts'
import { type GetPromptOptions, PromptResource } from '../../packages/sdk/src/resources/prompt-resource.ts'
import { init, NameNotFoundError, NotFoundError, observe, ServerError, Touchstone } from '../../packages/sdk/src/sdk.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { VECTORS } from '../prompts/prompt-vectors.ts'
import { contentOf, move, saveTexts, seedPrompt } from '../prompts/seed-prompt.ts'

const COMPONENT = '01890a5d-ac96-774b-bcce-b302099a8057'

describe('a template in the SDK', () => {
  it.each(VECTORS.render.map((vector) => [vector.name, vector] as const))('%s', (_name, vector) => {
    const { messages, values, result, error } = vector
    if (error === undefined) expect(renderMessages(messages, values)).toEqual(result)
    else expect(() => renderMessages(messages, values)).toThrow(error)
  })
})

it('a split in the SDK gives each key the version of the vectors', async () => {
  for (const { versions, ...label } of VECTORS.split)
    for (const [key, version] of Object.entries(versions))
      expect((await chooseSplit(label, key))?.version).toBe(version)
})

type Reply = (request: { etag: string | null; url: string }) => Response | Error | Promise<Response>

/** Prompts of a server that replies as the test says, with a clock that the test moves. */
function connect(first: Reply) {
  const server = { reply: first, requests: 0, nowMs: 0 }
  const fetch = async (url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    server.requests += 1
    const reply = await server.reply({ etag: new Headers(init.headers).get('if-none-match'), url: String(url) })
    if (reply instanceof Error) throw reply
    return reply
  }
  const settings = readClientSettings({ apiKey: 'tsk_key', fetch }, {})
  const sender = createHttpSender(settings, { sleep: async () => {}, random: () => 0 })
  const { components } = new Touchstone({ apiKey: 'tsk_key', fetch })
  const prompts = new PromptResource(sender, components, { nowMs: () => server.nowMs })
  const get = (options: Partial<GetPromptOptions> = {}) => prompts.get('answer', { component: COMPONENT, ...options })
  return { server, get }
}

function served(numbers: number[], { etag = '"1"' } = {}): Response {
  const splits = numbers.map((number) => ({
    weight: 100 / numbers.length,
    version: { number, content: contentOf(`Text ${number}`) },
  }))
  const body = { name: 'answer', label: 'production', promptId: COMPONENT, change: 1, seed: 1, splits }
  return Response.json(body, { headers: { etag } })
}

const missing = () => Response.json({ error: 'Prompt answer has no label production.' }, { status: 404 })
const reset = () => new TypeError('fetch failed', { cause: new Error('read ECONNRESET') })
const FALLBACK = { messages: [{ role: 'system' as const, content: 'Hello {{name}}' }] }

describe('the cache of prompts in the SDK', () => {
  it('uses a response for ten seconds, and then returns it while it asks with its ETag', async () => {
    const { server, get } = connect(() => served([1]))
    expect(await get()).toMatchObject({ version: 1, source: 'network', isStale: false })
    server.nowMs = 9_999
    expect(await get()).toMatchObject({ version: 1, source: 'memory' })
    expect(server.requests).toBe(1)

    server.nowMs = 10_000
    let asked: string | null = ''
    server.reply = ({ etag }) => {
      asked = etag
      return served([2], { etag: '"2"' })
    }
    expect(await get()).toMatchObject({ version: 1, source: 'memory', isStale: false })
    await expect.poll(async () => (await get()).version).toBe(2)
    expect([asked, server.requests]).toEqual(['"1"', 2])
  })

  it('is fresh again after 304', async () => {
    const { server, get } = connect(() => served([1]))
    await get()
    server.reply = () => new Response(null, { status: 304 })
    for (server.nowMs = 10_000; server.nowMs <= 30_000; server.nowMs += 10_000) {
      const before = server.requests
      expect(await get()).toMatchObject({ version: 1, isStale: false })
      await expect.poll(() => server.requests).toBe(before + 1)
      await new Promise(setImmediate)
    }
    expect(server.requests).toBe(4)
  })

  it.each([
    ['a connection that is reset', reset],
    ['503', () => Response.json({ error: 'Busy.' }, { status: 503 })],
    ['the page of a proxy', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ])(
    'survives %s: 10,000 reads throw nothing and are marked as stale, until the server is back',
    async (_, failure) => {
      const { server, get } = connect(() => served([1]))
      await get()
      server.reply = failure
      server.nowMs = 10_000
      await get()
      await expect.poll(async () => (await get()).isStale).toBe(true)
      for (let read = 0; read < 10_000; read++) {
        server.nowMs += 10
        const { version, isStale } = await get()
        expect([version, isStale]).toEqual([1, true])
      }
      expect(server.requests).toBeLessThanOrEqual(13)
      server.reply = () => served([2])
      server.nowMs += 10_000
      await expect.poll(async () => (await get()).version).toBe(2)
      expect((await get()).isStale).toBe(false)
    },
  )

  it('drops a prompt whose label is gone within one refresh', async () => {
    const { server, get } = connect(() => served([1]))
    await get()
    server.reply = missing
    server.nowMs = 10_000
    expect(await get()).toMatchObject({ version: 1 })
    await expect.poll(() => get().catch((error: unknown) => error)).toBeInstanceOf(NotFoundError)
    await expect(get()).rejects.toThrow('Prompt answer has no label production.')
    expect(await get({ fallback: FALLBACK })).toMatchObject({ source: 'fallback', version: undefined })
    server.reply = () => served([2])
    expect(await get()).toMatchObject({ version: 2, source: 'network' })
  })

  it('sends one request for gets at the same time, and another one for another label', async () => {
    const { server, get } = connect(() => served([1]))
    const prompts = await Promise.all(Array.from({ length: 20 }, () => get()))
    expect(new Set(prompts.map(({ source }) => source))).toEqual(new Set(['network']))
    expect(server.requests).toBe(1)
    server.nowMs = 10_000
    await Promise.all(Array.from({ length: 20 }, () => get()))
    expect(server.requests).toBe(2)
    await get({ label: 'staging' })
    expect(server.requests).toBe(3)
  })

  it('without a response throws, or returns the fallback after one attempt', async () => {
    const { server, get } = connect(() => Response.json({ error: 'Busy.' }, { status: 503 }))
    await expect(get()).rejects.toThrow(ServerError)
    expect(server.requests).toBe(3)
    const prompt = await get({ fallback: FALLBACK })
    expect(server.requests).toBe(4)
    expect(prompt.content).toEqual({
      ...FALLBACK,
      provider: null,
      model: null,
      parameters: {},
      tools: [],
      responseFormat: null,
    })
    expect(prompt.render({ name: 'Ann' })).toEqual([{ role: 'system', content: 'Hello Ann' }])
    expect(prompt.attributes).toEqual({
      'touchstone.prompt': 'answer',
      'touchstone.prompt.label': 'production',
      'touchstone.prompt.source': 'fallback',
    })
  })

  it('gives a key the same version in every process, and keys without one any version', async () => {
    const [first, second] = [connect(() => served([1, 2])), connect(() => served([1, 2]))]
    const versions = new Set<number | undefined>()
    for (let user = 0; user < 50; user++) {
      const key = `user ${user}`
      const { version } = await first.get({ key })
      expect((await second.get({ key })).version).toBe(version)
      versions.add(version)
    }
    expect(versions.size).toBe(2)
    const random = await Promise.all(Array.from({ length: 100 }, () => first.get()))
    expect(new Set(random.map(({ version }) => version)).size).toBe(2)
  })
})

describeEachEngine('prompts of the SDK', (app) => {
  it('are read by the name of the component, and follow a label that moves', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 2)
    await move(prompt, 'production', 1)
    const client = new Touchstone({ apiKey: prompt.key, baseUrl: app().url })
    const loaded = await client.prompts.get('answer', { component: 'Support' })
    expect(loaded).toMatchObject({ name: 'answer', label: 'production', version: 1, source: 'network' })
    expect(loaded.render({ name: 'Ann' })).toEqual([{ role: 'user', content: 'Text 1 for Ann' }])
    expect(() => loaded.render()).toThrow('These variables of the prompt have no value: name.')
    expect(await client.prompts.get('answer', { component: 'Support' })).toMatchObject({ source: 'memory' })

    const unknown = { component: prompt.componentId, label: 'unknown' }
    await expect(client.prompts.get('answer', unknown)).rejects.toThrow(NotFoundError)
    await expect(client.prompts.get('answer', { component: 'Nowhere' })).rejects.toThrow(NameNotFoundError)
  })

  it('get 304 from the server while the label has not moved, and the new version after it has', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 2)
    await move(prompt, 'production', 1)
    const statuses: number[] = []
    const record: typeof fetch = async (input, options) => {
      const response = await fetch(input, options)
      statuses.push(response.status)
      return response
    }
    const settings = readClientSettings({ apiKey: prompt.key, baseUrl: app().url, fetch: record }, {})
    let nowMs = 0
    const { components } = new Touchstone(settings)
    const prompts = new PromptResource(createHttpSender(settings), components, { nowMs: () => nowMs })
    const get = () => prompts.get('answer', { component: prompt.componentId })
    await get()
    nowMs = 10_000
    await get()
    await expect.poll(() => statuses).toEqual([200, 304])
    await move(prompt, 'production', 2)
    nowMs = 30_000
    await expect.poll(async () => (await get()).version).toBe(2)
  })

  it('are named by the span in which they were read', async () => {
    const prompt = await seedPrompt(app())
    await saveTexts(prompt, 1)
    await move(prompt, 'production', 1)
    const settings = { apiKey: prompt.key, baseUrl: app().url }
    const client = new Touchstone(settings)
    const tracing = init({ component: 'Support', ...settings })
    try {
      const read = observe(async () => (await client.prompts.get('answer', { component: 'Support' })).version, {
        name: 'read',
      })
      expect(await read()).toBe(1)
    } finally {
      await tracing.shutdown()
    }
    const [trace] = await prompt.client.list('/traces')
    const { body } = await prompt.client.get(`/traces/${trace?.id}/links`)
    expect(body.prompts).toMatchObject([{ name: 'answer@1', label: 'production', source: 'network' }])
  })
})
