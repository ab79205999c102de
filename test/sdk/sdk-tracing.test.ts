import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { context } from '@opentelemetry/api'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { init, observe, type Tracing } from '../../packages/sdk/src/sdk.ts'
import { attributeText } from '../../packages/sdk/src/tracing/attribute-text.ts'
import { readOnlyTrace } from '../clients/stored-trace.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'

/** As programs import it. */
const SDK = JSON.stringify(new URL('../../packages/sdk/src/sdk.ts', import.meta.url))

let warnings: string[] = []
beforeEach(() => {
  warnings = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => warnings.push(String(text)) > 0)
})
afterEach(() => vi.restoreAllMocks())

describeEachEngine('tracing by the SDK', (app) => {
  let tracing: Tracing | undefined
  afterEach(() => tracing?.shutdown())

  async function start(): Promise<Client> {
    const { client, key } = await app().newWorkspace()
    await client.create('/components', { name: 'Greeter' })
    tracing = init({ component: 'Greeter', apiKey: key, baseUrl: app().url, environment: 'test' })
    expect(tracing.isActive).toBe(true)
    return client
  }

  const readTrace = async (client: Client) => {
    await tracing?.flush()
    return readOnlyTrace(client)
  }

  it('sends calls with input, output and kind, nested calls below them', async () => {
    const client = await start()
    const search = observe(async (query: string) => [`about ${query}`], { name: 'search', kind: 'retriever' })
    const answer = observe(
      async function answer(question: string, _style: string) {
        await setImmediate()
        const found = await search(question)
        return `It is ${found[0]}.`
      },
      { kind: 'chain', captureInput: (question) => question, attributes: { 'touchstone.session.id': 's1' } },
    )
    expect(await answer('rain', 'short')).toBe('It is about rain.')
    const stored = await readTrace(client)
    expect(stored).toMatchObject({
      name: 'answer',
      componentName: 'Greeter',
      input: 'rain',
      output: 'It is about rain.',
      sessionId: 's1',
    })
    expect(await client.list('/traces?environment=test')).toHaveLength(1)
    expect(stored.spans).toHaveLength(2)
    // Spans that begin in the same millisecond have no order.
    const root = stored.spans.find(({ name }) => name === 'answer')
    const nested = stored.spans.find(({ name }) => name === 'search')
    expect(nested).toMatchObject({ name: 'search', kind: 'retriever', parentSpanId: root?.spanId })
    expect(nested?.output).toBe('["about rain"]')
  })

  it('records errors and throws them unchanged', async () => {
    const client = await start()
    const error = new RangeError('too far')
    const fail = observe(
      () => {
        throw error
      },
      { name: 'fail' },
    )
    expect(fail).toThrow(error)
    const stored = await readTrace(client)
    expect(stored).toMatchObject({ name: 'fail', status: 'error' })
    expect(stored.spans[0]).toMatchObject({ statusMessage: 'too far' })
  })

  it('throws values unchanged that have no text', async () => {
    const client = await start()
    const strange = Object.create(null)
    const fail = observe(async () => Promise.reject(strange), { name: 'strange' })
    await expect(fail()).rejects.toBe(strange)
    expect(await readTrace(client)).toMatchObject({ name: 'strange', status: 'error' })
  })

  it('sends the values of a generator as one output, also if the reader stops early', async () => {
    const client = await start()
    const inside = observe((word: string) => word, { name: 'inside' })
    const stream = observe(async function* words(count: number) {
      for (let n = 0; n < count; n++) yield inside(`word ${n} `)
    })
    for await (const word of stream(9)) if (word.startsWith('word 1')) break
    const stored = await readTrace(client)
    expect(stored).toMatchObject({ name: 'words', input: '9', output: 'word 0 word 1 ' })
    expect(stored.spans.map(({ name }) => name).sort()).toEqual(['inside', 'inside', 'words'])
  })

  it('warns of a component that does not exist, and of a key that is not valid', async () => {
    const { key } = await app().newWorkspace()
    tracing = init({ component: 'Nowhere', apiKey: key, baseUrl: app().url })
    await expect.poll(() => warnings.join('')).toContain('there is no component "Nowhere"')
    await tracing.shutdown()
    tracing = init({ component: 'Nowhere', apiKey: 'tsk_wrong', baseUrl: app().url })
    await expect.poll(() => warnings.join('')).toContain('API key')
    expect(warnings.join('')).not.toContain('tsk_wrong')
  })

  it('adds nothing to a program that has another provider, and warns', async () => {
    const { client, key } = await app().newWorkspace()
    await client.create('/components', { name: 'Greeter' })
    const program = `
      import { trace } from '@opentelemetry/api'
      import { TracerProvider } from '@opentelemetry/sdk-trace'
      import { init, observe } from ${SDK}
      trace.setGlobalTracerProvider(new TracerProvider())
      const { isActive } = init({ component: 'Greeter' })
      observe(() => 'x', { name: 'sent elsewhere' })()
      console.log(isActive)`
    const { output } = await runProgram(program, { app: app(), key })
    expect(output).toMatch(/^false\ntouchstone: tracing is off: the program has another OpenTelemetry provider/)
    expect(await client.list('/traces')).toEqual([])
  })

  it('is flushed when a program ends, by itself or by a signal', async () => {
    for (const [ending, signal] of [
      ['', null],
      ["process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)", 'SIGTERM'],
    ]) {
      const { client, key } = await app().newWorkspace()
      await client.create('/components', { name: 'Greeter' })
      const program = `
        import { init, observe } from ${SDK}
        init({ component: 'Greeter' })
        observe(() => 'done', { name: 'last words' })()
        ${ending}`
      const ended = await runProgram(program, { app: app(), key })
      expect(ended).toEqual({ signal, output: '' })
      expect(await readOnlyTrace(client)).toMatchObject({
        name: 'last words',
        output: 'done',
        componentName: 'Greeter',
      })
    }
  })

  it('uses an instrumentation that is installed, one for each library', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-sdk-'))
    try {
      for (const scope of ['@arizeai/openinference-instrumentation-openai', '@traceloop/instrumentation-openai']) {
        const place = join(folder, 'node_modules', scope)
        mkdirSync(place, { recursive: true })
        writeFileSync(
          join(place, 'index.js'),
          `exports.OpenAIInstrumentation = class {
            setTracerProvider(provider) { provider.getTracer('t').startSpan('by ${scope}').end() }
          }`,
        )
      }
      const { client, key } = await app().newWorkspace()
      await client.create('/components', { name: 'Greeter' })
      const program = `
        import { init } from ${SDK}
        await init({ component: 'Greeter' }).shutdown()`
      await runProgram(program, { app: app(), key, folder })
      expect(await readOnlyTrace(client)).toMatchObject({ name: 'by @arizeai/openinference-instrumentation-openai' })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('observe without tracing', () => {
  it('changes nothing that a function does', async () => {
    const owner = {
      base: 2,
      plus: observe(function (this: { base: number }, n: number) {
        return this.base + n
      }),
    }
    expect(owner.plus(3)).toBe(5)
    const promise = Promise.resolve(1)
    expect(observe(() => promise)()).toBe(promise)
    expect([
      ...observe(function* () {
        yield 1
        yield 2
      })(),
    ]).toEqual([1, 2])
  })

  it('never starts a program that cannot be traced with an error', () => {
    for (const baseUrl of ['nonsense', 'ftp://x'])
      expect(init({ component: 'C', apiKey: 'k', baseUrl }).isActive).toBe(false)
    expect(init({ component: ' ', apiKey: 'k' }).isActive).toBe(false)
    expect(warnings.join('')).toContain('tracing is off')
    expect(context.active()).toBeDefined()
  })
})

describe('texts of attributes', () => {
  it('exist for any value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true }), (value) => {
        const text = attributeText(value)
        expect(text === undefined).toBe(value === undefined)
      }),
    )
  })

  it('cut circles, and only circles', () => {
    const shared = { a: 1 }
    const circle: Record<string, unknown> = { first: shared, second: shared }
    circle['self'] = circle
    expect(attributeText(circle)).toBe('{"first":{"a":1},"second":{"a":1},"self":"[circular]"}')
    const failing = Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('no')
      },
    })
    expect(attributeText(failing)).toBe('[not serializable]')
  })
})

/** Runs a program and returns how it ended and what it printed. */
function runProgram(program: string, { app, key, folder }: { app: TestApp; key: string; folder?: string }) {
  const env = { PATH: process.env['PATH'], TOUCHSTONE_API_KEY: key, TOUCHSTONE_URL: app.url }
  return new Promise<{ signal: string | null; output: string }>((resolve) => {
    const words = ['--input-type=module', '--eval', program]
    const options = { env, ...(folder !== undefined && { cwd: folder }) }
    execFile(process.execPath, words, options, (error, stdout, stderr) =>
      resolve({ signal: error?.signal ?? null, output: stdout + stderr }),
    )
  })
}
