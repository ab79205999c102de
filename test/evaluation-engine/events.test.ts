import { expect, it } from 'vitest'
import { evaluationEvents } from '../../src/evaluations/evaluation-events.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { eventsOf, type ServerSentEvent } from '../harness/event-stream.ts'
import type { TestApp } from '../harness/test-app.ts'
import { connectModel, evaluated, judging, QUICK, type Row, seedOutputs, start, until } from './evaluating.ts'

async function allEvents(response: Response): Promise<ServerSentEvent[]> {
  const all: ServerSentEvent[] = []
  for await (const event of eventsOf(response)) all.push(event)
  return all
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** Events as they are sent, with a clock that the test moves on. */
function eventsInFakeTime({ storage }: TestApp, watched: { workspaceId: string; evaluationId: string }) {
  let now = 0
  const events = evaluationEvents(
    { db: storage, clock: { now: () => now }, isStillAllowed: async () => true, isRead: () => true },
    watched,
  )
  return {
    async nextAfter(ms: number): Promise<string> {
      now += ms
      const { value } = await events.next()
      return String(value)
    },
    /** Without signs of life. */
    async restAfter(ms: number): Promise<string[]> {
      now += ms
      const all: string[] = []
      for await (const event of events) if (!event.startsWith(':')) all.push(event)
      return all
    },
  }
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

    it('of a finished one sends its progress and its end, and closes', async () => {
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

    it('of a running one sends progress that only grows, the first error at once, and the end', async () => {
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
      const events: ServerSentEvent[] = []
      for await (const event of eventsOf(await listen(`${path}/events`, seeded.key))) {
        events.push(event)
        // The error is sent while the evaluation still runs: it continues only when the test has received it.
        if (event.name === 'error') gate.open?.()
      }
      const names = events.map(({ name }) => name)
      expect(names.filter((name) => name === 'error')).toHaveLength(1)
      expect(names.at(-1)).toBe('end')
      expect(names.indexOf('end')).toBe(names.length - 1)
      const error = events.find(({ name }) => name === 'error')
      expect(error?.data).toEqual({ error: expect.stringMatching(/^judges returned 404/) })
      const received = events.flatMap(({ name, data }) => (name === 'progress' ? [Object(data.progress)] : []))
      for (const [place, { total, done, failed, skipped }] of received.entries()) {
        expect(done + failed + skipped).toBeLessThanOrEqual(total)
        const before = received[place - 1] ?? { total: 0, done: 0, failed: 0, skipped: 0 }
        for (const name of ['total', 'done', 'failed', 'skipped']) {
          expect(Object(received[place])[name]).toBeGreaterThanOrEqual(Object(before)[name])
        }
      }
      const progress = { total: 12, done: 11, failed: 1, skipped: 0 }
      expect(events.at(-1)?.data).toEqual({ status: 'completed', error: null, progress })
    })

    it('of one that fails sends the message', async () => {
      const seeded = await seedWithKey(1)
      const path = await start(seeded, { datasetId: seeded.datasetId, config: { repetitions: 0 } })
      const events = await allEvents(await listen(`${path}/events`, seeded.key))
      expect(events.at(-1)).toMatchObject({
        name: 'end',
        data: { status: 'failed', error: 'config.repetitions must be a whole number from 1 to 100' },
      })
    })

    it('for HEAD get a response at once, while the evaluation runs', async () => {
      const seeded = await seedWithKey(1)
      const server = await connectModel(seeded, { misbehaviour: () => 'hang' })
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
      await until(() => expect(server.requests).toHaveLength(1))
      const headers = { authorization: `Bearer ${seeded.key}` }
      const response = await fetch(`${app().url}/api/v1${path}/events`, { method: 'HEAD', headers })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      await seeded.client.post(`${path}/cancel`, undefined)
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
        // The last state is one in which every score has ended.
        const progress = how === 'cancel' ? { total: 3, done: 0, failed: 0, skipped: 3 } : null
        expect(last?.data.progress).toEqual(progress)
      }
    })

    /** An evaluation whose only request was sent, and is answered when the test releases it. */
    async function startWaiting() {
      const seeded = await seedOutputs(app(), 1)
      const gate: { open(): void } = { open: () => {} }
      const opened = new Promise<void>((resolve) => (gate.open = resolve))
      const server = await connectModel(seeded, {
        answer: async () => {
          await opened
          return { reason: 'fine', passed: true }
        },
      })
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
      await until(() => expect(server.requests).toHaveLength(1))
      const evaluationId = path.split('/').at(-1) ?? ''
      return { ...seeded, path, watched: { workspaceId: seeded.workspaceId, evaluationId }, gate }
    }

    it('of one that needs hours sends heartbeats all the time, and its end', { tags: 'deep' }, async () => {
      const { watched, gate } = await startWaiting()
      const events = eventsInFakeTime(app(), watched)
      expect(await events.nextAfter(0)).toMatch(/^event: progress\n/)
      for (const ms of [15_001, 11 * MINUTE_MS, HOUR_MS, 24 * HOUR_MS]) {
        expect(await events.nextAfter(ms)).toBe(': still here\n\n')
      }
      gate.open()
      expect((await events.restAfter(0)).at(-1)).toMatch(/^event: end\ndata: {"status":"completed"/)
    })

    it('a client that disconnects affects neither the evaluation nor the server', async () => {
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

/** Only the test lets time pass, so that a second is a second however long the test needs. */
const hands = { elapsedMs: 0 }

describeEachEngine(
  'access that ends during a stream',
  (app) => {
    it('a revoked key gets no events after a second', async () => {
      const seeded = await seedOutputs(app(), 1)
      const { body } = await seeded.admin.post('/api-keys', { name: 'Listener' })
      const server = await connectModel(seeded, { misbehaviour: () => 'hang' })
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
      await until(() => expect(server.requests).toHaveLength(1))
      const headers = { authorization: `Bearer ${body.key}` }
      const listen = () => fetch(`${app().url}/api/v1${path}/events`, { headers })
      const response = await listen()
      expect(response.status).toBe(200)
      await seeded.admin.delete(`/api-keys/${body.id}`)
      hands.elapsedMs += 1_000
      expect((await allEvents(response)).map(({ name }) => name)).toEqual(['progress', 'reconnect'])
      expect((await listen()).status).toBe(401)
    })
  },
  { ...QUICK, leaseSeconds: 3_600, clock: { now: () => Date.now(), elapsed: () => hands.elapsedMs } },
)
