import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { connectModel, evaluated, judging, QUICK, type Row, seedOutputs, start, until } from './evaluating.ts'

type Event = { name: string; data: Row }

/** Reads server-sent events as a browser does: an event ends with an empty line. */
async function* eventsOf(response: Response): AsyncGenerator<Event> {
  let text = ''
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString('utf8')
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const [, name = '', data = '{}'] = /^event: (.*)\ndata: (.*)$/.exec(event) ?? []
      if (!event.startsWith(':')) yield { name, data: JSON.parse(data) }
    }
  }
}

async function allEvents(response: Response): Promise<Event[]> {
  const all: Event[] = []
  for await (const event of eventsOf(response)) all.push(event)
  return all
}

describeEachEngine(
  'GET …/evaluations/{evaluationId}/events',
  (app) => {
    function listen(path: string, key: string, signal?: AbortSignal): Promise<Response> {
      const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
      return fetch(`${app().url}/api/v1${path}`, { headers, ...(signal ? { signal } : {}) })
    }

    async function seedWithKey(count: number, owner: TestApp = app()) {
      const seeded = await seedOutputs(owner, count)
      const key = await keyOf(seeded.admin)
      return { ...seeded, key }
    }

    async function keyOf(admin: {
      post(path: string, body: unknown): Promise<{ status: number; text: string; body: Row }>
    }) {
      const { status, text, body } = await admin.post('/api-keys', { name: 'Listener' })
      if (status !== 201) throw new Error(text)
      return String(body.key)
    }

    it('of one that has ended tells how it stands and that it is over, and closes', async () => {
      const seeded = await seedWithKey(2)
      const { path, progress } = await evaluated(seeded, { datasetId: seeded.datasetId })
      const response = await listen(`${path}/events`, seeded.key)
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
      expect(response.headers.get('cache-control')).toBe('no-cache')
      expect(await allEvents(response)).toEqual([
        { name: 'progress', data: { status: 'completed', progress, spentUsd: 0 } },
        { name: 'end', data: { status: 'completed', error: null, progress } },
      ])
    })

    it('of one that runs tells progress that only grows, the first error at once, and the end', async () => {
      const seeded = await seedWithKey(12)
      let asked = 0
      const gate: { open: (() => void) | undefined } = { open: undefined }
      const opened = new Promise<void>((resolve) => (gate.open = resolve))
      await connectModel(seeded, {
        answer: async () => {
          asked += 1
          if (asked > 6) await opened
          return { reason: 'fine', passed: true }
        },
        misbehaviour: ({ user }) => (user.includes('answer 2"') ? { status: 404 } : undefined),
      })
      const config = judging({ concurrency: 1 })
      const path = await start(seeded, { datasetId: seeded.datasetId, config })
      const events: Event[] = []
      for await (const event of eventsOf(await listen(`${path}/events`, seeded.key))) {
        events.push(event)
        // The error is told while the evaluation still runs: it goes on only when we have heard of it.
        if (event.name === 'error') gate.open?.()
      }
      const names = events.map(({ name }) => name)
      expect(names.filter((name) => name === 'error')).toHaveLength(1)
      expect(names.at(-1)).toBe('end')
      expect(names.indexOf('end')).toBe(names.length - 1)
      const error = events.find(({ name }) => name === 'error')
      expect(error?.data).toEqual({ error: expect.stringMatching(/^judges answered 404/) })
      const told = events.flatMap(({ name, data }) => (name === 'progress' ? [Object(data.progress)] : []))
      for (const [place, { total, done, failed, skipped }] of told.entries()) {
        expect(done + failed + skipped).toBeLessThanOrEqual(total)
        const before = told[place - 1] ?? { total: 0, done: 0, failed: 0, skipped: 0 }
        for (const name of ['total', 'done', 'failed', 'skipped']) {
          expect(Object(told[place])[name]).toBeGreaterThanOrEqual(Object(before)[name])
        }
      }
      const progress = { total: 12, done: 11, failed: 1, skipped: 0 }
      expect(events.at(-1)?.data).toEqual({ status: 'completed', error: null, progress })
    })

    it('of one that fails tells the sentence', async () => {
      const seeded = await seedWithKey(1)
      const path = await start(seeded, { datasetId: seeded.datasetId, config: { repetitions: 0 } })
      const events = await allEvents(await listen(`${path}/events`, seeded.key))
      expect(events.at(-1)).toMatchObject({
        name: 'end',
        data: { status: 'failed', error: 'config.repetitions must be a whole number from 1 to 100' },
      })
    })

    it('of one that is cancelled, and of one that is deleted, ends', async () => {
      for (const how of ['cancel', 'delete']) {
        const seeded = await seedWithKey(3)
        const { client } = seeded
        const server = await connectModel(seeded, { misbehaviour: () => 'hang' })
        const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
        await until(() => expect(server.requests).toHaveLength(3))
        const response = await listen(`${path}/events`, seeded.key)
        if (how === 'cancel') await client.post(`${path}/cancel`, undefined)
        else await client.delete(path)
        const last = (await allEvents(response)).at(-1)
        const error = how === 'cancel' ? 'cancelled' : 'The evaluation was deleted'
        expect(last).toMatchObject({ name: 'end', data: { status: 'failed', error } })
      }
    })

    it('a listener who goes away harms neither the evaluation nor the server', async () => {
      const seeded = await seedWithKey(4)
      const { client } = seeded
      const provider = { isWell: false }
      const server = await connectModel(seeded, {
        answer: () => ({ reason: 'fine', passed: true }),
        misbehaviour: () => (provider.isWell ? undefined : { status: 503 }),
      })
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
      const leaving = Array.from({ length: 20 }, () => new AbortController())
      const responses = await Promise.all(leaving.map(({ signal }) => listen(`${path}/events`, seeded.key, signal)))
      for (const response of responses) expect(response.status).toBe(200)
      for (const one of leaving) one.abort()
      provider.isWell = true
      await until(async () => expect((await client.get(path)).body.status).toBe('completed'))
      expect(server.requests.length).toBeGreaterThanOrEqual(4)
      const last = (await allEvents(await listen(`${path}/events`, seeded.key))).at(-1)
      expect(last?.name).toBe('end')
    })
  },
  QUICK,
)
