// @module-tag sql
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { until } from '../harness/wait-for.ts'
import type { Row } from '../playground/trying.ts'
import { fail, leaseSome, readTrial, release, seedComponent, startTrial, WORKER } from './seed-trial.ts'

describeEachEngine(
  'a trial that is pending',
  (app) => {
    it('counts the trials of its application that were started before and have not ended', async () => {
      const of = await seedComponent(app(), 2)
      await startTrial(await seedComponent(app(), 2), { variants: [WORKER] })
      const [first, second, third] = [
        await startTrial(of, { variants: [WORKER] }),
        await startTrial(of, { variants: [WORKER] }),
        await startTrial(of, { variants: [WORKER] }),
      ]
      const waits = async ({ path }: { path: string }) => (await readTrial(of.client, path)).waitsBehind
      expect([await waits(first), await waits(second), await waits(third)]).toEqual([0, 1, 2])
      const summaries = [first, second, third].map(async ({ path }) => {
        const { waiting } = await readTrial(of.client, path)
        return Object(waiting).map(({ reason, calls, summary }: Row) => `${reason} ${calls} ${summary}`)
      })
      expect(await Promise.all(summaries)).toEqual([
        ['turn 2 The trial waits for a free job of the server'],
        ['turn 2 One trial of the application has started before and not ended'],
        ['turn 2 2 trials of the application have started before and not ended'],
      ])
      const canceled = await of.client.post(`${first.path}/cancel`, undefined)
      expect(canceled).toMatchObject({ status: 202, body: { waiting: [] } })
      expect([await waits(first), await waits(second), await waits(third)]).toEqual([0, 0, 1])
    })
  },
  { works: false },
)

describeEachEngine(
  'a trial that runs',
  (app) => {
    it('says why a variant makes no progress: no worker has its calls, or they are sent again later', async () => {
      const { client, ...of } = await seedComponent(app(), 2)
      const trial = await startTrial({ client, ...of }, { variants: [WORKER] })
      const waiting = async () => (await readTrial(client, trial.path)).waiting
      const summary = 'No worker has a call of the queue "agent"'
      const unread = [{ reason: 'worker', variant: 'my code', calls: 2, until: null, summary }]
      await until(async () => expect(await waiting()).toEqual(unread))
      const leased = await leaseSome(client, of.componentId)
      expect(await waiting()).toEqual([])
      for (const call of leased) expect((await release(client, trial.path, call)).status).toBe(200)
      await until(async () => expect(await waiting()).toEqual(unread))
      for (const call of await leaseSome(client, of.componentId))
        await fail(client, trial.path, call, { error: 'the provider asks to slow down', transient: true })
      expect(await waiting()).toEqual([
        {
          ...{ reason: 'retry', variant: 'my code', calls: 2, until: expect.stringMatching(/^2\d{3}-.*Z$/) },
          summary: 'Calls are sent again after an error: the provider asks to slow down',
        },
      ])
    })
  },
  { retryPauseMs: 60_000 },
)
