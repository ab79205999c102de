// @module-tag sql
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { readTrial, seedComponent, startTrial, WORKER } from './seed-trial.ts'

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
      expect((await of.client.post(`${first.path}/cancel`, undefined)).status).toBe(202)
      expect([await waits(first), await waits(second), await waits(third)]).toEqual([0, 0, 1])
    })
  },
  { works: false },
)
