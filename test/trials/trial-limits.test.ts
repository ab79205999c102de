// @module-tag sql
/** The limits of trials: what is allowed exactly, and what is one more. Those of an HTTP answer are in test/endpoints. */
import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { seedComponent, seedDataset, startTrial, trialsPath, WORKER } from './seed-trial.ts'

const VARIANTS_MAX = 50
const REPETITIONS_MAX = 20
const WAITING_MAX = 100

describeEachEngine(
  'limits of trials',
  (app) => {
    it('50 variants, 20 repetitions and 100,000 calls are allowed together, and one item more is not', async () => {
      const of = await seedComponent(app(), 100)
      const dry = (datasetId: string, variants: number, repetitions = REPETITIONS_MAX) =>
        of.client.post(`${trialsPath(of)}?dry_run=true`, {
          datasetId,
          variants: Array.from({ length: variants }, (_, place) => ({ ...WORKER, name: `variant ${place + 1}` })),
          repetitions,
        })
      expect(await dry(of.datasetId, VARIANTS_MAX)).toMatchObject({ status: 200, body: { calls: 100_000 } })
      const larger = await seedDataset(of.client, of.componentId, 101)
      const rejected = await dry(larger, VARIANTS_MAX)
      expectError(rejected, 400)
      expect(rejected.body.error).toBe(
        '101 items × 50 variants × 20 repetitions are 101,000 calls, and a trial has at most 100,000; set "sample" to fewer items, or use fewer variants or repetitions',
      )
      expectError(await dry(of.datasetId, VARIANTS_MAX + 1, 1), 400)
      expectError(await dry(of.datasetId, 1, REPETITIONS_MAX + 1), 400)
      expect(await of.client.list(trialsPath(of))).toEqual([])
    })

    it('100 trials of an application may wait, and the next one may when one of them has ended', async () => {
      const of = await seedComponent(app(), 1)
      const [first] = await Promise.all(
        Array.from({ length: WAITING_MAX }, () => startTrial(of, { variants: [WORKER] })),
      )
      const start = () => of.client.post(trialsPath(of), { datasetId: of.datasetId, variants: [WORKER] })
      const rejected = await start()
      expectError(rejected, 429)
      expect(rejected.body.error).toMatch(/^100 trials are waiting already/)
      // Another application has its own.
      await startTrial(await seedComponent(app(), 1), { variants: [WORKER] })
      expect((await of.client.post(`${first?.path}/cancel`, undefined)).status).toBe(202)
      expect((await start()).status).toBe(202)
      expectError(await start(), 429)
    })
  },
  { works: false },
)
