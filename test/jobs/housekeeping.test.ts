// @module-tag sql
import { afterEach, expect, it, vi } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createLogger } from '../../src/base/log.ts'
import { startHousekeeping } from '../../src/housekeeping.ts'
import { DAY } from '../conformance/movable-clock.ts'
import { browserWith } from '../conformance/team.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import { storeTrace } from '../traces/stored-traces.ts'

const TEN_MINUTES = 10 * 60_000

describeEachEngine(
  'housekeeping',
  (app) => {
    afterEach(() => {
      vi.useRealTimers()
    })

    it('enqueues every ten minutes the deletion of expired traces, and then releases space', async () => {
      const { workspaceId } = await app().newWorkspace()
      const admin = await browserWith(app(), workspaceId, 'admin')
      await admin.send('PUT', '/retention', { body: { days: 1 } })
      await storeTrace(app().storage, { workspaceId, atMs: Date.now() - 2 * DAY })
      const { storage, clock } = app()
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      let released = 0
      const releaseSpace = async () => {
        released += 1
      }
      const parts = { clock, newId: idGenerator(clock), log: createLogger('silent') }
      const stop = startHousekeeping({ storage: { ...storage, releaseSpace }, ...parts })
      vi.advanceTimersByTime(TEN_MINUTES)
      await until(() => expect(released).toBe(1))
      vi.advanceTimersByTime(TEN_MINUTES)
      await until(() => expect(released).toBe(2))
      stop()
      vi.advanceTimersByTime(TEN_MINUTES)
      const jobs = await storage.read
        .selectFrom('jobs')
        .select('kind')
        .where('workspace_id', '=', workspaceId)
        .execute()
      expect(jobs).toEqual([{ kind: 'retention' }])
      expect(released).toBe(2)
    })
  },
  { works: false },
)
