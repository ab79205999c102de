// @module-tag deep
/** The model of one application never responds; the evaluations of another one are counted. */
import { expect, it } from 'vitest'
import { connectModel, judging, seedOutputs, start, until } from '../evaluation-engine/evaluating.ts'
import { slowJudge, untilNoJobs } from '../fault/judged-cases.ts'
import { describeEachEngine } from '../harness/each-engine.ts'

const HUNG = 40
const CASES = 5

describeEachEngine(
  '40 evaluations whose model never responds',
  (app) => {
    it('do not delay the evaluation of another application, whose model does', async () => {
      const stuck = await seedOutputs(app(), CASES)
      const hanging = await connectModel(stuck, { misbehaviour: () => 'hang' })
      const hung: string[] = []
      for (let count = 0; count < HUNG; count += 1) {
        hung.push(await start(stuck, { datasetId: stuck.datasetId, config: judging() }))
      }
      await until(() => expect(hanging.requests.length).toBeGreaterThan(0))

      const bystander = await seedOutputs(app(), CASES)
      const responding = await connectModel(bystander, { answer: slowJudge(5) })
      const evaluation = await start(bystander, { datasetId: bystander.datasetId, config: judging() })
      await until(async () => expect((await bystander.client.get(evaluation)).body.status).toBe('completed'))
      expect(responding.requests).toHaveLength(CASES)
      const { body } = await bystander.client.get(evaluation)
      expect(body.progress).toMatchObject({ done: CASES, failed: 0, skipped: 0 })

      for (const path of hung) expect((await stuck.client.delete(path)).status).toBe(204)
      await untilNoJobs(app().storage)
    })
  },
  { turnMs: 300, modelTimeoutMs: 600_000 },
)
