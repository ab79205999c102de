// @module-tag sql
import { describe, expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { sendSpans } from '../harness/otlp-json.ts'
import { until } from '../harness/wait-for.ts'
import {
  allCalls,
  complete,
  fail,
  lease,
  leaseSome,
  readTrial,
  release,
  seedComponent,
  startTrial,
  trialWith,
  WORKER,
} from './seed-trial.ts'

describeEachEngine(
  'trials of workers',
  (app) => {
    const wait = { id: 1 }

    it('each call is leased once, and its output is a trace of the run with its item', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 3)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER], repetitions: 2 })
      const calls = await leaseSome(client, componentId)
      expect(calls).toHaveLength(6)
      expect(await lease(client, componentId)).toEqual([])
      expect(calls.map(({ input }) => input)).toContainEqual({ question: 'question 2' })
      for (const call of calls) {
        const { status, body } = await complete(client, trial.path, call, `answer to ${JSON.stringify(call.input)}`)
        expect({ status, body }).toEqual({ status: 200, body: { state: 'done', traceId: call.traceId } })
      }
      const ended = await trialWith(client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', endedBy: 'done', error: null })
      expect(ended.progress).toEqual({ total: 6, done: 6, failed: 0, skipped: 0 })
      const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces.map(({ traceId }) => traceId).sort()).toEqual(calls.map(({ traceId }) => traceId).sort())
      for (const { itemId } of calls) expect(traces.filter((trace) => trace.itemId === itemId)).toHaveLength(2)
      const { body: trace } = await client.get(`/traces/${traces[0]?.id}`)
      expect(String(trace.output)).toMatch(/^answer to /)
    })

    it('calls with large inputs are leased a few at a time', async () => {
      const items = Array.from({ length: 5 }, (_, place) => ({ input: `${place}${'x'.repeat(600_000)}` }))
      const { client, componentId, ...of } = await seedComponent(app(), items)
      await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const sizes: number[] = []
      for (let fetched = 0; fetched < items.length; fetched += sizes.at(-1) ?? 0)
        sizes.push((await leaseSome(client, componentId)).length)
      expect(sizes).toEqual([2, 2, 1])
    })

    it('a repeated answer changes nothing, and a lease that is not the current one gets 409', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 1)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const [call = wait] = await leaseSome(client, componentId)
      const leased = Object(call)
      const other = { ...leased, lease: '01890a5d-ac96-774b-bcce-b302099a8057' }
      expectError(await complete(client, trial.path, other), 409)
      expectError(await fail(client, trial.path, other), 409)
      expect((await complete(client, trial.path, leased)).status).toBe(200)
      expect((await complete(client, trial.path, leased)).status).toBe(200)
      expectError(await fail(client, trial.path, leased), 409)
      const ended = await trialWith(client, trial.path)
      expect(ended.progress).toMatchObject({ total: 1, done: 1 })
      expect(await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)).toHaveLength(1)
    })

    it('a transient failure is tried again, five times; a permanent one is an error of the run at once', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 2)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const [first, second] = await leaseSome(client, componentId)
      if (!first || !second) throw new Error('two calls are leased')
      expect((await fail(client, trial.path, second, { error: 'bad item' })).body).toMatchObject({ state: 'failed' })
      expect((await fail(client, trial.path, first, { transient: true })).body).toMatchObject({ state: 'retrying' })
      for (let attempt = 2; attempt <= 5; attempt += 1) {
        const [call] = await leaseSome(client, componentId)
        if (!call) throw new Error('the call is leased again')
        expect(call.traceId).not.toBe(first.traceId)
        const { body } = await fail(client, trial.path, call, { transient: true })
        expect(body).toMatchObject({ state: attempt < 5 ? 'retrying' : 'failed' })
      }
      const ended = await trialWith(client, trial.path)
      expect(ended).toMatchObject({ status: 'failed', progress: { total: 2, failed: 2 } })
      const failures = await client.get(`${trial.path}/failures`)
      expect(failures.body.data).toEqual([
        { variant: 'my code', reason: 'bad item', retryable: false, calls: 1 },
        { variant: 'my code', reason: 'it broke', retryable: true, calls: 1 },
      ])
      const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces.map(({ status }) => status)).toEqual(['error', 'error'])
    })

    it('a retry sends only what can succeed, and its failure leaves the run', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 3)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const [done, final, broken] = await leaseSome(client, componentId)
      if (!done || !final || !broken) throw new Error('three calls are leased')
      await complete(client, trial.path, done)
      await fail(client, trial.path, final)
      let call = broken
      for (let attempt = 1; attempt <= 5; attempt += 1) {
        await fail(client, trial.path, call, { transient: true })
        if (attempt < 5) [call = call] = await leaseSome(client, componentId)
      }
      await trialWith(client, trial.path)
      const retried = await client.post(`${trial.path}/retry`, undefined)
      expect(retried.status, retried.text).toBe(202)
      const [again, ...others] = await leaseSome(client, componentId)
      expect(others).toEqual([])
      expect(again?.itemId).toBe(broken.itemId)
      if (again) await complete(client, trial.path, again)
      const ended = await trialWith(client, trial.path)
      expect(ended).toMatchObject({ status: 'completed', progress: { total: 3, done: 2, failed: 1 } })
      const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces).toHaveLength(3)
      expectError(await client.post(`${trial.path}/retry`, undefined), 409)
    })

    it('a trace that a worker has sent by OTLP is the answer, also without its request', async () => {
      const { client, componentId, workspaceId, ...of } = await seedComponent(app(), 2)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const calls = await leaseSome(client, componentId)
      for (const [place, { traceId }] of calls.entries()) {
        const root = { traceId, spanId: `00000000000000a${place}`, name: 'agent', start: Date.now() }
        const attributes = { 'input.value': 'question', 'output.value': `by telemetry ${place}` }
        await sendSpans(client, [{ ...root, attributes }])
      }
      const [first] = calls
      if (first) await complete(client, trial.path, first, 'by request')
      await endLeases(workspaceId)
      const ended = await trialWith(client, trial.path)
      expect(ended.progress).toEqual({ total: 2, done: 2, failed: 0, skipped: 0 })
      const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces).toHaveLength(2)
      const outputs = await Promise.all(traces.map(async ({ id }) => (await client.get(`/traces/${id}`)).body.output))
      expect(outputs.sort()).toEqual(['by telemetry 0', 'by telemetry 1'])
    })

    it('a call whose lease is over goes to another worker, and the late answer gets 409', async () => {
      const { client, componentId, workspaceId, ...of } = await seedComponent(app(), 1)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const [dead] = await leaseSome(client, componentId)
      if (!dead) throw new Error('a call is leased')
      expect((await client.post(`${trial.path}/calls/${dead.id}/extend`, { lease: dead.lease })).status).toBe(200)
      await endLeases(workspaceId)
      const [call] = await leaseSome(client, componentId)
      if (!call) throw new Error('the call is leased again')
      expect(call.id).toBe(dead.id)
      expectError(await complete(client, trial.path, dead, 'late'), 409)
      expectError(await client.post(`${trial.path}/calls/${dead.id}/extend`, { lease: dead.lease }), 409)
      expect((await complete(client, trial.path, call)).status).toBe(200)
      expectError(await complete(client, trial.path, dead, 'late'), 409)
      const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces.map(({ traceId }) => traceId)).toEqual([call.traceId])
    })

    it('a released call goes to others at once and uses no attempt, however often', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 1)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      await leaseSome(client, componentId).then(([call]) => release(client, trial.path, call))
      // More often than a call has attempts.
      for (let round = 1; round <= 6; round += 1) {
        const [call] = await lease(client, componentId)
        const released = await release(client, trial.path, call)
        expect(released.body).toEqual({ state: 'retrying', traceId: call?.traceId })
        expect((await release(client, trial.path, call)).body).toEqual(released.body)
      }
      const [last] = await lease(client, componentId)
      if (!last) throw new Error('the call is leased again')
      expectError(await client.post(`${trial.path}/calls/${last.id}/release`, { lease: 'another' }), 409)
      expect((await complete(client, trial.path, last)).status).toBe(200)
      expectError(await release(client, trial.path, last), 409)
      expect(await allCalls(client, trial.path)).toMatchObject([{ state: 'done', attempt: 8 }])
    })

    it('is returned to all programs that resume its name at the same time, and needs a name for it', async () => {
      const { client, componentId, datasetId } = await seedComponent(app(), 2)
      const plan = { datasetId, variants: [WORKER], resume: true }
      const started = await Promise.all(
        Array.from({ length: 5 }, () => client.post(`/components/${componentId}/trials`, { ...plan, name: 'nightly' })),
      )
      expect(started.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202])
      expect(new Set(started.map(({ body }) => JSON.stringify([body.id, body.runs]))).size).toBe(1)
      expect(started.filter(({ body }) => body.resumed === false)).toHaveLength(1)
      expect(await client.list(`/components/${componentId}/trials`)).toHaveLength(1)
      expect(await client.list(`/components/${componentId}/runs`)).toHaveLength(1)
      expectError(await client.post(`/components/${componentId}/trials`, plan), 400, /resume needs the field name/)
    })

    it('a canceled trial skips what has not ended, and its workers get 409', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 3)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const { userId } = (await client.get('/me')).body
      const [first, second] = await leaseSome(client, componentId, { max: 2 })
      if (!first || !second) throw new Error('two calls are leased')
      await complete(client, trial.path, first)
      const { status, body } = await client.post(`${trial.path}/cancel`, undefined)
      expect({ status, ends: body.endedBy, of: body.status }).toEqual({ status: 202, ends: 'canceled', of: 'failed' })
      expectError(await complete(client, trial.path, second), 409)
      expect(await lease(client, componentId)).toEqual([])
      const ended = await trialWith(client, trial.path)
      expect(ended.progress).toEqual({ total: 3, done: 1, failed: 0, skipped: 2 })
      expect(ended).toMatchObject({ canceledBy: userId, waitsBehind: 0 })
      expectError(await client.post(`${trial.path}/cancel`, undefined), 409)
      expect((await client.post(`${trial.path}/retry`, undefined)).status).toBe(202)
      for (const call of await leaseSome(client, componentId)) await complete(client, trial.path, call)
      expect(await trialWith(client, trial.path)).toMatchObject({
        status: 'completed',
        canceledBy: null,
        progress: { done: 3, skipped: 0 },
      })
    })

    it('a deleted trial is gone with its calls, and its run stays', async () => {
      const { client, componentId, workspaceId, ...of } = await seedComponent(app(), 2)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      await leaseSome(client, componentId)
      expect((await client.delete(trial.path)).status).toBe(204)
      expectError(await client.get(trial.path), 404)
      expect(await client.list(`/components/${componentId}/trials`)).toEqual([])
      expect((await client.get(`/components/${componentId}/runs/${trial.runs[0]?.runId}`)).status).toBe(200)
      const { storage } = app()
      await until(async () => {
        for (const table of ['trial_calls', 'trial_variants', 'trials'] as const)
          expect(
            await storage.read.selectFrom(table).selectAll().where('workspace_id', '=', workspaceId).execute(),
          ).toEqual([])
      })
    })

    it('two trials with one queue progress together, and one of them can be asked alone', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 4)
      const one = await startTrial({ client, componentId, ...of }, { name: 'one', variants: [WORKER] })
      const two = await startTrial({ client, componentId, ...of }, { name: 'two', variants: [WORKER] })
      for (const { path } of [one, two]) await trialWith(client, path, ['running'])
      const shared = await lease(client, componentId, { max: 4 })
      expect(Map.groupBy(shared, ({ trialId }) => trialId).size).toBe(2)
      const { body } = await client.post(`${two.path}/calls/lease`, { queue: 'agent', max: 100 })
      expect(Object(body).calls.map(({ trialId }: { trialId: string }) => trialId)).toEqual([two.id, two.id])
      expect(await lease(client, componentId, { queue: 'other' })).toEqual([])
    })

    describe('a request that waits', () => {
      it('returns as soon as there is a call, and delays no other request of its caller', async () => {
        const { client, componentId, ...of } = await seedComponent(app(), 1)
        const waiting = Array.from({ length: 40 }, () => lease(client, componentId, { waitSeconds: 20 }))
        const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
        const [call] = await Promise.race(waiting)
        if (!call) throw new Error('one of them gets the call')
        await complete(client, trial.path, call)
        expect(await trialWith(client, trial.path)).toMatchObject({ status: 'completed' })
      })
    })

    it('calls are listed by state and variant, in pages', async () => {
      const { client, componentId, ...of } = await seedComponent(app(), 60)
      const other = { name: 'other', target: { type: 'worker', queue: 'other' } }
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER, other] })
      const [call] = await leaseSome(client, componentId, { max: 1 })
      if (call) await complete(client, trial.path, call)
      const all = await allCalls(client, trial.path)
      expect(all).toHaveLength(120)
      expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 120 }, (_, place) => place + 1))
      expect(await allCalls(client, trial.path, '&state=done')).toMatchObject([
        { id: 1, variant: 'my code', attempt: 1 },
      ])
      expect(await allCalls(client, trial.path, '&variant=other')).toHaveLength(60)
      expectError(await client.get(`${trial.path}/calls?state=gone`), 400)
      expectError(await client.get(`${trial.path}/calls?variant=gone`), 400)
      expect(await readTrial(client, trial.path)).toMatchObject({ status: 'running', completedAt: null })
    })

    /** As if the time of all leases had passed, by the clock of the database. */
    async function endLeases(workspaceId: string): Promise<void> {
      await app().storage.transaction((tx) =>
        tx
          .updateTable('trial_calls')
          .set({ lease_until: '2026-01-01T00:00:00.000Z' })
          .where('workspace_id', '=', workspaceId)
          .where('state', '=', 'running')
          .execute(),
      )
    }
  },
  { retryPauseMs: 1 },
)
