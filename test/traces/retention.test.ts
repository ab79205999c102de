// @module-tag sql
import { describe, expect, it } from 'vitest'
import { systemClock, timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { JobRun } from '../../src/jobs/job-handler.ts'
import { retentionHandler } from '../../src/traces/retention/clear-old-traces.ts'
import { requestClearingOfAnyWorkspace } from '../../src/traces/retention/request-clearing.ts'
import { cutoffOf } from '../../src/traces/retention/retention-cutoff.ts'
import { expectError, TIMESTAMP } from '../conformance/answer-forms.ts'
import { DAY } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'
import { countRollups, readRollups, storeTrace } from './stored-traces.ts'

const IDLE = { state: 'idle', tracesDeleted: 0, tracesLeft: 0, startedAt: null, finishedAt: null }

function daysAgo(days: number): number {
  return Date.now() - days * DAY
}

async function newWorkspace(app: TestApp, days: number | null) {
  const { workspaceId, client } = await app.newWorkspace()
  const admin = await browserWith(app, workspaceId, 'admin')
  const answer = await admin.send('PUT', '/retention', { body: { days } })
  expect(answer.status, answer.text).toBe(200)
  return { workspaceId, client, admin }
}

function request(app: TestApp): Promise<void> {
  return requestClearingOfAnyWorkspace(app.storage, { clock: app.clock, newId: idGenerator(app.clock) })
}

async function countJobs(app: TestApp, workspaceId: string): Promise<number> {
  const jobs = await app.storage.read.selectFrom('jobs').select('id').where('workspace_id', '=', workspaceId).execute()
  return jobs.length
}

describeEachEngine(
  '/retention',
  (app) => {
    it('GET 200 returns by default that traces are kept forever', async () => {
      const { client } = await app().newWorkspace()
      expect((await client.get('/retention')).body).toEqual({ days: null, ...IDLE })
    })

    it('PUT 200 sets, changes and removes the number of days, with entries in the audit log', async () => {
      const { workspaceId, client, admin } = await newWorkspace(app(), 30)
      expect((await client.get('/retention')).body).toEqual({ days: 30, ...IDLE })
      const { body } = await admin.send('PUT', '/retention', { body: { days: null } })
      expect(body).toEqual({ days: null, ...IDLE })
      expect(
        (await admin.list('/audit-log?action=retention')).map(({ action, resourceId }) => [action, resourceId]),
      ).toEqual([
        ['retention.changed', workspaceId],
        ['retention.changed', workspaceId],
      ])
    })

    it.each([0, -1, 3_651, 1.5, '7', true, undefined])('PUT 400 for %s days', async (days) => {
      const { client, admin } = await newWorkspace(app(), 7)
      expectError(await admin.send('PUT', '/retention', { body: { days } }), 400, /days/)
      expect((await client.get('/retention')).body.days).toBe(7)
    })

    it('PUT 403 for an editor and 401 for a key: only an admin may delete permanently', async () => {
      const { workspaceId, client } = await app().newWorkspace()
      const editor = await browserWith(app(), workspaceId, 'editor')
      expectError(await editor.send('PUT', '/retention', { body: { days: 1 } }), 403)
      expectError(await client.send('PUT', '/retention', { body: { days: 1 } }), 401)
    })

    it('housekeeping enqueues one clearing at a time, and only for workspaces with expired traces', async () => {
      const { workspaceId } = await newWorkspace(app(), 7)
      const kept = await newWorkspace(app(), null)
      const young = await newWorkspace(app(), 7)
      await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8) })
      await storeTrace(app().storage, { workspaceId: kept.workspaceId, atMs: daysAgo(1_000) })
      await storeTrace(app().storage, { workspaceId: young.workspaceId, atMs: daysAgo(6) })
      await Promise.all([request(app()), request(app()), request(app())])
      await request(app())
      expect(await countJobs(app(), workspaceId)).toBe(1)
      expect(await countJobs(app(), kept.workspaceId)).toBe(0)
      expect(await countJobs(app(), young.workspaceId)).toBe(0)
    })

    it('a clearing that has given up is followed by a new one, which takes its place', async () => {
      const { workspaceId } = await newWorkspace(app(), 7)
      await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8) })
      await request(app())
      await app().storage.transaction((tx) =>
        tx.updateTable('jobs').set({ state: 'failed' }).where('workspace_id', '=', workspaceId).execute(),
      )
      await request(app())
      const jobs = await app()
        .storage.read.selectFrom('jobs')
        .select('state')
        .where('workspace_id', '=', workspaceId)
        .execute()
      expect(jobs).toEqual([{ state: 'queued' }])
    })

    it('ignores a deleted workspace', async () => {
      const { workspaceId } = await newWorkspace(app(), 7)
      await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8) })
      const deleted_at = timestamp(app().clock.now())
      await app().storage.transaction((tx) =>
        tx.updateTable('workspaces').set({ deleted_at }).where('id', '=', workspaceId).execute(),
      )
      await request(app())
      expect(await countJobs(app(), workspaceId)).toBe(0)
    })
  },
  { works: false },
)

describeEachEngine('a clearing job', (app) => {
  it('finishes by itself, reports its progress, and keeps newer traces', async () => {
    const { workspaceId, client } = await newWorkspace(app(), 7)
    for (let place = 0; place < 45; place += 1)
      await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8 + place) })
    const young = await storeTrace(app().storage, { workspaceId, atMs: daysAgo(6) })
    await request(app())
    await waitForJobs(app().storage, workspaceId)
    const { body } = await client.get('/retention')
    expect(body).toEqual({
      days: 7,
      state: 'idle',
      tracesDeleted: 45,
      tracesLeft: 0,
      startedAt: TIMESTAMP,
      finishedAt: TIMESTAMP,
    })
    const left = await app()
      .storage.read.selectFrom('traces')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .execute()
    expect(left).toEqual([{ id: young }])
    expect(await readRollups(app().storage, workspaceId)).toEqual(await countRollups(app().storage, workspaceId))
  })

  it('does not keep the workspace from being deleted', async () => {
    const { workspaceId } = await newWorkspace(app(), 7)
    const owner = await browserWith(app(), workspaceId, 'owner')
    expect((await owner.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
    await waitForJobs(app().storage, workspaceId)
    expect(await countRows(app().storage, workspaceId)).not.toHaveProperty('retention')
  })
})

describeEachEngine(
  'a clearing',
  (app) => {
    type Interruption = (writes: number) => void | Promise<void>

    /** Runs the job here and not in the runner, so that something can happen before any of its transactions. */
    async function clear(workspaceId: string, before: Interruption = () => {}): Promise<void> {
      const { storage } = app()
      const clock = systemClock()
      let writes = 0
      const run: JobRun = {
        workspaceId,
        payload: {},
        db: storage,
        clock,
        newId: idGenerator(clock),
        signal: new AbortController().signal,
        commit: async (work) => {
          writes += 1
          await before(writes)
          return storage.transaction(work)
        },
        shouldYield: () => false,
      }
      await retentionHandler.run(run)
    }

    const CONTENT = {
      service: 'shop',
      environment: 'test',
      sessionId: 's'.repeat(400),
      userId: 'u',
      tags: ['a', 'b'],
      spans: [
        { name: 'chat', model: 'gpt-4o', provider: 'openai', tokens: { input: 10, output: 5 }, costUsd: 0.1 },
        { name: 'n'.repeat(400), kind: 'tool' },
      ],
    }

    it('deletes spans, facets, sums and unused origins, and nothing of another workspace', async () => {
      const { workspaceId } = await newWorkspace(app(), 7)
      const other = await newWorkspace(app(), 30)
      const { storage } = app()
      for (const id of [workspaceId, other.workspaceId]) {
        await storeTrace(storage, { workspaceId: id, atMs: daysAgo(20), status: 'error', ...CONTENT })
        await storage.transaction(async (tx) => {
          for (const [hash, days] of [
            ['old', 20],
            ['young', 3],
          ] as const) {
            const used_on = timestamp(daysAgo(days)).slice(0, 10)
            await tx
              .insertInto('resource_scopes')
              .values({ workspace_id: id, hash, resource: '{}', scope: '{}', used_on })
              .execute()
          }
        })
      }
      const ofOther = await countRows(storage, other.workspaceId)
      await clear(workspaceId)
      const left = await countRows(storage, workspaceId)
      expect(left).toMatchObject({ resource_scopes: 1 })
      for (const table of ['traces', 'spans', 'trace_facets', 'trace_rollups']) expect(left).not.toHaveProperty(table)
      expect(await countRows(storage, other.workspaceId)).toEqual(ofOther)
    })

    it('uses the time of arrival of a trace, not its start time', async () => {
      const { workspaceId } = await newWorkspace(app(), 7)
      const id = await storeTrace(app().storage, { workspaceId, atMs: daysAgo(6) })
      await app().storage.transaction((tx) =>
        tx.updateTable('traces').set({ start_ns: 0n }).where('id', '=', id).execute(),
      )
      await clear(workspaceId)
      expect(await countRows(app().storage, workspaceId)).toMatchObject({ traces: 1 })
    })

    it('removes a trace of 1,300 spans in several transactions, and takes it out of the sums once', async () => {
      const { workspaceId } = await newWorkspace(app(), 7)
      const spans = Array.from({ length: 1_300 }, (_, place) => ({
        name: `step ${place % 40}`,
        tokens: { input: 1, output: 1 },
        costUsd: 0.25,
      }))
      const shared = { workspaceId, service: 'shop', atMs: daysAgo(8) }
      await storeTrace(app().storage, { ...shared, spans })
      const small = await storeTrace(app().storage, {
        ...shared,
        atMs: shared.atMs + 1,
        spans: [{ tokens: { input: 3, output: 4 }, costUsd: 1 }],
      })
      // It belongs to the same hour, but has arrived just now.
      const young = idGenerator(systemClock())()
      await app().storage.transaction(async (tx) => {
        await tx.updateTable('traces').set({ trace_id: 'moved' }).where('id', '=', small).execute()
        const row = await tx.selectFrom('traces').selectAll().where('id', '=', small).executeTakeFirstOrThrow()
        const start_ns = BigInt(shared.atMs) * 1_000_000n
        await tx
          .insertInto('traces')
          .values({
            ...row,
            id: young,
            trace_id: 'young',
            start_ns,
            end_ns: null,
            root_ns: null,
            first_llm_ns: null,
            last_llm_ns: null,
            last_failure_ns: null,
            last_answer_ns: null,
          })
          .execute()
        await tx
          .updateTable('trace_rollups')
          .set((eb) => ({
            traces: eb('traces', '+', 1),
            tokens: eb('tokens', '+', 7),
            cost_usd: eb('cost_usd', '+', 1),
          }))
          .where('workspace_id', '=', workspaceId)
          .execute()
      })
      const seen: unknown[] = []
      await clear(workspaceId, async () => {
        const rows = await app()
          .storage.read.selectFrom('spans')
          .select('span_id')
          .where('workspace_id', '=', workspaceId)
          .execute()
        seen.push(rows.length)
        expect(await readRollups(app().storage, workspaceId)).toEqual(await countRollups(app().storage, workspaceId))
      })
      expect(seen.slice(0, 6)).toEqual([1_301, 1_301, 801, 301, 1, 0])
      const ofHourAndAllTime = Array.from({ length: 2 }, () =>
        expect.objectContaining({ traces: 1, tokens: 7, costUsd: 1 }),
      )
      expect(await readRollups(app().storage, workspaceId)).toEqual(ofHourAndAllTime)
    })

    it('that is killed at any moment leaves exact sums, and the next one finishes the work and the count', async () => {
      const { workspaceId, client } = await newWorkspace(app(), 7)
      const { storage } = app()
      for (let place = 0; place < 50; place += 1) {
        const count = place === 10 ? 900 : 1 + (place % 4)
        const spans = Array.from({ length: count }, () => ({
          tokens: { input: place, output: 1 },
          costUsd: place / 10,
        }))
        const isDeleted = place % 9 === 0
        await storeTrace(storage, { ...CONTENT, workspaceId, atMs: daysAgo(8 + (place % 3)), spans, isDeleted })
      }
      await storeTrace(storage, { ...CONTENT, workspaceId, atMs: daysAgo(2) })
      for (let killedAt = 1; ; killedAt += 1) {
        const killed = clear(workspaceId, (writes) => {
          if (writes > killedAt) throw new Error('killed')
        })
        const outcome = await killed.then(
          () => 'finished',
          () => 'killed',
        )
        expect(await readRollups(storage, workspaceId)).toEqual(await countRollups(storage, workspaceId))
        if (outcome === 'finished') break
        expect((await client.get('/retention')).body).toMatchObject({ state: 'clearing' })
      }
      expect((await client.get('/retention')).body).toMatchObject({ state: 'idle', tracesDeleted: 50, tracesLeft: 0 })
      const left = await countRows(storage, workspaceId)
      expect(left).toMatchObject({ traces: 1, spans: 2, trace_facets: 12, trace_rollups: 2 })
    })

    it('stops as soon as the retention is removed', async () => {
      const { workspaceId, client, admin } = await newWorkspace(app(), 7)
      for (let place = 0; place < 60; place += 1) await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8) })
      await clear(workspaceId, async (writes) => {
        if (writes === 3) await admin.send('PUT', '/retention', { body: { days: null } })
      })
      expect(await countRows(app().storage, workspaceId)).toMatchObject({ traces: 40, spans: 40 })
      expect((await client.get('/retention')).body).toMatchObject({ days: null, state: 'idle', tracesDeleted: 20 })
    })

    it('shows its progress while it runs', async () => {
      const { workspaceId, client } = await newWorkspace(app(), 7)
      for (let place = 0; place < 45; place += 1) await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8) })
      const seen: unknown[] = []
      await clear(workspaceId, async () => {
        const { state, tracesDeleted, tracesLeft } = (await client.get('/retention')).body
        seen.push([state, tracesDeleted, tracesLeft])
      })
      expect(seen.slice(0, 5)).toEqual([
        ['idle', 0, 0],
        ['clearing', 0, 45],
        ['clearing', 20, 25],
        ['clearing', 40, 5],
        ['clearing', 45, 0],
      ])
    })

    it('that fails is reported as not running', async () => {
      const { workspaceId, client } = await newWorkspace(app(), 7)
      await storeTrace(app().storage, { workspaceId, atMs: daysAgo(8) })
      await clear(workspaceId, (writes) => {
        if (writes > 1) throw new Error('killed')
      }).catch(() => {})
      const clock = systemClock()
      const job = { workspaceId, payload: {}, clock, newId: idGenerator(clock) }
      await app().storage.transaction((tx) => retentionHandler.onFailed(tx, job, 'killed'))
      expect((await client.get('/retention')).body).toMatchObject({ state: 'idle', finishedAt: TIMESTAMP })
    })
  },
  { works: false },
)

describe('the cutoff', () => {
  it('is far enough in the past for ten years, and never before time began', () => {
    const id = idGenerator({ now: () => Date.UTC(2026, 0, 8) })()
    expect(cutoffOf(Date.UTC(2026, 0, 15), 7).id < id).toBe(true)
    expect(cutoffOf(Date.UTC(2026, 0, 15) + 1, 7).id > id).toBe(true)
    expect(cutoffOf(Date.UTC(2026, 0, 15), 7).day).toBe('2026-01-08')
    expect(cutoffOf(0, 3_650)).toEqual({ id: '00000000-0000-0000-0000-000000000000', day: '1970-01-01' })
  })
})
