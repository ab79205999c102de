/** A provider that is overloaded for minutes, one that drops connections, and workers that die. */
import { expect, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import type { TestApp } from '../harness/test-app.ts'
import { waitFor } from '../harness/wait-for.ts'
import { price } from '../playground/trying.ts'
import {
  allCalls,
  complete,
  type LeasedCall,
  lease,
  leaseSome,
  readTrial,
  seedComponent,
  seedPromptTrials,
  startTrial,
  trialWith,
  version,
  WORKER,
} from './seed-trial.ts'

const MINUTES = 5
const STEP_MS = 20_000

let passedMs = 0
const clock = { now: () => Date.now() + passedMs, elapsed: () => performance.now() + passedMs }

describeEachEngine(
  'a trial',
  (app) => {
    it('waits through five minutes of an overloaded provider: no call fails, and few requests are sent', async () => {
      const until = clock.elapsed() + MINUTES * 60_000
      const isOverloaded = () => clock.elapsed() < until
      const of = await seedPromptTrials(app(), {
        items: 20,
        misbehaviour: () => (isOverloaded() ? { status: 429 } : undefined),
      })
      const trial = await startTrial(of, { variants: [version(of.promptId, 1)], concurrency: 4 })
      let rejected = 0
      await waitFor(
        'the end of the overload',
        async () => {
          const { status, progress } = await readTrial(of.client, trial.path)
          expect({ status: status === 'pending' ? 'running' : status, progress }).toEqual({
            status: 'running',
            progress: { total: 20, done: 0, failed: 0, skipped: 0 },
          })
          if (of.server.requests.length === rejected) await passTime(app(), of.workspaceId)
          rejected = of.server.requests.length
          return isOverloaded() ? undefined : true
        },
        () => passedMs,
      )
      // A pause doubles up to a minute, and each is followed by what may be sent at a time.
      expect(rejected).toBeGreaterThanOrEqual(5)
      expect(rejected).toBeLessThanOrEqual(80)
      await passTime(app(), of.workspaceId, 60_000)
      expect(await trialWith(of.client, trial.path)).toMatchObject({
        status: 'completed',
        progress: { total: 20, done: 20, failed: 0, skipped: 0 },
      })
    })

    it('keeps its limit with a provider that drops connections, and bills for what it has dropped', async () => {
      const limit = 0.2
      let asked = 0
      const of = await seedPromptTrials(app(), {
        items: 80,
        misbehaviour: () => {
          asked += 1
          return asked % 4 === 0 ? 'reset' : asked % 7 === 0 ? 'reset in the body' : undefined
        },
      })
      // An answer costs 0.0005, and one that was dropped is charged with its maximum, a little more than 0.01.
      await price(of)
      const trial = await startTrial(of, { variants: [version(of.promptId, 1)], concurrency: 4, maxCostUsd: limit })
      const ended = await trialWith(of.client, trial.path)
      expect(ended).toMatchObject({ endedBy: 'budget' })
      const { spentUsd }: Record<string, unknown> = Object(ended.cost)
      const billedUsd = asked * 0.0005
      expect(Number(spentUsd)).toBeGreaterThan(billedUsd)
      expect(Number(spentUsd)).toBeLessThanOrEqual(limit)
      const costs = (await allCalls(of.client, trial.path)).map(({ costUsd }) => Number(costUsd))
      expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(Number(spentUsd), 6)
    })

    it('has each call done once by three workers of which one dies, whose late answers get 409', async () => {
      const { client, componentId, workspaceId, ...of } = await seedComponent(app(), 30)
      const trial = await startTrial({ client, componentId, ...of }, { variants: [WORKER] })
      const dead = await leaseSome(client, componentId, { max: 6 })
      const done: LeasedCall[] = []
      const work = async () => {
        for (let calls = await lease(client, componentId, { max: 2 }); calls.length > 0; ) {
          for (const call of calls) expect((await complete(client, trial.path, call)).status).toBe(200)
          done.push(...calls)
          calls = await lease(client, componentId, { max: 2 })
        }
      }
      await Promise.all([work(), work()])
      await endLeases(app(), workspaceId)
      await waitFor('the calls of the dead worker', async () => {
        await Promise.all([work(), work()])
        await passTime(app(), workspaceId)
        return done.length >= 30 || undefined
      })
      expect(await lateStatuses(client, trial.path, dead)).toEqual(dead.map(() => 409))
      expect(new Set(done.map(({ id }) => id)).size).toBe(30)
      expect(done).toHaveLength(30)
      expect(await trialWith(client, trial.path)).toMatchObject({ progress: { total: 30, done: 30 } })
      const traces = await client.list(`/components/${componentId}/runs/${trial.runs[0]?.runId}/traces`)
      expect(traces.map(({ traceId }) => traceId).sort()).toEqual(done.map(({ traceId }) => traceId).sort())
    })
  },
  { retryPauseMs: 1_000, pauseSeconds: 0.1, clock },
)

async function lateStatuses(client: Client, path: string, calls: readonly LeasedCall[]): Promise<number[]> {
  return Promise.all(calls.map(async (call) => (await complete(client, path, call, 'late')).status))
}

/** As if time had passed, by the clock of the server and by that of the database. */
async function passTime(app: TestApp, workspaceId: string, ms = STEP_MS): Promise<void> {
  passedMs += ms
  await app.storage.transaction(async (tx) => {
    await tx
      .updateTable('trial_calls')
      .set({ due_at: '2026-01-01T00:00:00.000Z' })
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', 'retrying')
      .execute()
  })
}

async function endLeases(app: TestApp, workspaceId: string): Promise<void> {
  await app.storage.transaction((tx) =>
    tx
      .updateTable('trial_calls')
      .set({ lease_until: '2026-01-01T00:00:00.000Z' })
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', 'running')
      .execute(),
  )
}
