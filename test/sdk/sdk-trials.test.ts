/** Workers of trials in the SDK, against a real server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { init, observe, shutdown, Touchstone, TransientError } from '../../packages/sdk/src/sdk.ts'
import { workOnCalls } from '../../packages/sdk/src/trials/work-on-calls.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { allCalls, lease, readTrial, seedComponent, startTrial, trialWith, WORKER } from '../trials/seed-trial.ts'

const SDK = join(import.meta.dirname, '../../packages/sdk/src/sdk.ts')
const QUEUE = { component: 'Support', queue: 'agent' }

async function seed(app: TestApp, items: number, fetch?: typeof globalThis.fetch) {
  const of = await seedComponent(app, items)
  const sdk = new Touchstone({ apiKey: of.key, baseUrl: app.url, ...(fetch && { fetch, maxRetries: 0 }) })
  return { ...of, sdk }
}

/** Aborted by the test, in the middle of the work. */
function stopper() {
  const controller = new AbortController()
  return { signal: controller.signal, stop: () => controller.abort() }
}

describeEachEngine(
  'a worker of the SDK',
  (app) => {
    it('runs the calls of a trial, at most so many at a time, and ends with it', async () => {
      const { sdk, client, ...of } = await seed(app(), 12)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER], repetitions: 2 })
      let running = 0
      let most = 0
      const counts = await sdk.trials.work({
        ...QUEUE,
        trial: trial.id,
        concurrency: 3,
        async run({ input, repetition, reportCost }) {
          most = Math.max(most, ++running)
          await until(() => expect(running === 3 || most === 3).toBe(true))
          running -= 1
          reportCost(0.01)
          return { said: `${Object(input).question} ${repetition}` }
        },
      })
      expect(counts).toEqual({ done: 24, failed: 0, retrying: 0, returned: 0, lost: 0 })
      expect(most).toBe(3)
      const ended = await trialWith(client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', progress: { total: 24, done: 24 } })
      expect(Object(ended.cost).spentUsd).toBeCloseTo(0.24)
      const [trace] = await client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
      const { body } = await client.get(`/traces/${trace?.id}`)
      expect(String(body.output)).toMatch(/^\{"said":"question \d+ [12]"\}$/)
    })

    it('an error fails its call, a transient one is tried again, and so are results that the server rejects', async () => {
      const { sdk, client, ...of } = await seed(app(), 4)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      let attempts = 0
      const counts = await sdk.trials.work({
        ...QUEUE,
        trial: trial.id,
        run({ input }) {
          const { question } = Object(input)
          if (question === 'question 1') throw new RangeError('no ones')
          if (question === 'question 2' && ++attempts < 3) throw new TransientError('busy')
          const circular: Record<string, unknown> = {}
          circular['self'] = circular
          return question === 'question 3' ? circular : 'fine'
        },
      })
      expect(counts).toMatchObject({ done: 2, failed: 2, retrying: 2 })
      expect(attempts).toBe(3)
      const failed = await allCalls(client, trial.path, '&state=failed')
      expect(failed.map(({ reason }) => reason)).toEqual(['no ones', expect.stringContaining('circular')])
    })

    it('a stopped worker finishes what it can and returns the rest, which another one runs at once, each once', async () => {
      const { sdk, client, ...of } = await seed(app(), 6)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      const { signal, stop } = stopper()
      const begun: unknown[] = []
      const stuck = new Promise(() => {})
      const counts = await sdk.trials.work({
        ...QUEUE,
        concurrency: 4,
        graceSeconds: 0.2,
        signal,
        async run({ itemId }) {
          begun.push(itemId)
          await until(() => expect(begun.length).toBe(4))
          stop()
          if (itemId !== begun[0]) await stuck
          return 'first'
        },
      })
      expect(counts).toEqual({ done: 1, failed: 0, retrying: 0, returned: 3, lost: 0 })
      expect(await allCalls(client, trial.path, '&state=running')).toEqual([])
      await sdk.trials.work({ ...QUEUE, trial: trial.id, run: () => 'second' })
      expect(await trialWith(client, trial.path)).toMatchObject({ progress: { total: 6, done: 6 } })
      const traces = await client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces).toHaveLength(6)
      const outputs = await Promise.all(traces.map(async ({ id }) => (await client.get(`/traces/${id}`)).body.output))
      expect(outputs.filter((output) => output === 'first')).toHaveLength(1)
    })

    const programs = [
      ['', ''],
      [' with tracing', "init({ component: 'Support' })"],
    ] as const
    it.each(programs)('a program%s that is asked to end returns its calls first', async (_, begin) => {
      const { client, key, ...of } = await seed(app(), 3)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      const work = `import { init, Touchstone } from ${JSON.stringify(SDK)}
        ${begin}
        const options = { component: 'Support', queue: 'agent', concurrency: 2, graceSeconds: 1 }
        await new Touchstone().trials.work({ ...options, run: () => new Promise(() => {}) })
        console.log('The program goes on')`
      const program = spawn(process.execPath, ['--input-type=module', '-e', work], {
        env: { PATH: process.env['PATH'], TOUCHSTONE_URL: app().url, TOUCHSTONE_API_KEY: key },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(program, 'exit')
      const output = text(program.stdout)
      await until(async () => expect(await allCalls(client, trial.path, '&state=running')).toHaveLength(2))
      program.kill('SIGTERM')
      expect(await ended).toEqual([null, 'SIGTERM'])
      expect(await output).toBe('')
      const calls = await allCalls(client, trial.path)
      expect(calls.map(({ state }) => state).sort()).toEqual(['queued', 'retrying', 'retrying'])
      expect(await lease(client, of.componentId)).toHaveLength(3)
    })

    it('extends leases while calls run, and aborts a call that it has lost', async () => {
      const { sdk, client, workspaceId, ...of } = await seed(app(), 1)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      const ends: string[] = []
      let attempts = 0
      await workOnCalls({
        api: sdk,
        componentId: of.componentId,
        trialId: trial.id,
        queue: 'agent',
        concurrency: 1,
        graceMs: 0,
        signal: undefined,
        extendMs: 5,
        async run(call, signal) {
          if (++attempts > 1) return { output: 'second' }
          const { leaseUntil } = call
          await until(async () => expect(await leaseOf()).not.toBe(leaseUntil))
          await app().storage.transaction((tx) =>
            tx
              .updateTable('trial_calls')
              .set({ lease_until: '2026-01-01T00:00:00.000Z' })
              .where('workspace_id', '=', workspaceId)
              .execute(),
          )
          await until(() => expect(signal.aborted).toBe(true))
          return { output: 'late' }
        },
        onEnd: (_, { state }) => ends.push(state),
      })
      expect(ends).toEqual(['lost', 'done'])
      expect(await readTrial(client, trial.path)).toMatchObject({ progress: { total: 1, done: 1 } })

      async function leaseOf() {
        const row = await app()
          .storage.read.selectFrom('trial_calls')
          .select('lease_until')
          .where('workspace_id', '=', workspaceId)
          .executeTakeFirst()
        return row?.lease_until
      }
    })

    it('outlasts a server that is away, and loses no result', async () => {
      let failing = 0
      const flaky: typeof globalThis.fetch = async (input, init) => {
        const isWork = /\/(lease|complete)$/.test(String(input))
        if (isWork && ++failing % 2 === 1) throw new TypeError('fetch failed')
        return fetch(input, init)
      }
      const { sdk, client, ...of } = await seed(app(), 1, flaky)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      const problems: string[] = []
      let runs = 0
      const run = () => ++runs
      const onProblem = ({ name }: Error) => problems.push(name)
      expect(await sdk.trials.work({ ...QUEUE, trial: trial.id, run, onProblem })).toMatchObject({ done: 1 })
      expect(runs).toBe(1)
      expect(problems).toContain('ConnectionError')
    })

    it('puts the spans of observed functions into the trace of the call', async () => {
      const { sdk, client, key, ...of } = await seed(app(), 1)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      init({ component: 'Support', apiKey: key, baseUrl: app().url })
      const search = observe(async (text: string) => `found ${text}`, { name: 'search' })
      try {
        await sdk.trials.work({ ...QUEUE, trial: trial.id, run: ({ input }) => search(Object(input).question) })
      } finally {
        await shutdown()
      }
      const [trace] = await client.list(`/components/${of.componentId}/runs/${trial.runs[0]?.runId}/traces`)
      const { body } = await client.get(`/traces/${trace?.id}`)
      const names: string[] = Object(body).spans.map(({ name }: { name: string }) => name)
      expect(names.sort()).toEqual(['search', 'trial my code'])
      expect(body.output).toBe('found question 1')
    })
  },
  { retryPauseMs: 1 },
)
