// @module-tag sql
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { price, type Row } from '../playground/trying.ts'
import { leaseSome, seedPromptTrials, startTrial, trialWith, WORKER } from './seed-trial.ts'

describeEachEngine(
  'a trial with judges',
  (app) => {
    it('has the cost of its judges as figures of their own, also of an evaluation that a retry has replaced', async () => {
      const of = await seedPromptTrials(app(), { items: 3 })
      await price(of)
      const judge = { type: 'llmJudge', name: 'kind', instructions: 'Is it kind?' }
      const evaluation = { evaluators: [judge], provider: 'models' }
      const trial = await startTrial(of, { variants: [WORKER], evaluation, maxCostUsd: 0.5 })
      const [call] = await leaseSome(of.client, of.componentId, { max: 1 })
      const done = { lease: call?.lease, output: 'fine', costUsd: 0.5 }
      expect((await of.client.post(`${trial.path}/calls/${call?.id}/complete`, done)).status).toBe(200)
      const costOf = async ({ evaluationId }: Row) => {
        const evaluations = app().storage.read.selectFrom('evaluations').where('workspace_id', '=', of.workspaceId)
        const row = await evaluations.select('spent_usd').where('id', '=', String(evaluationId)).executeTakeFirst()
        return Number(row?.spent_usd)
      }
      const first = await trialWith(of.client, trial.path)
      expect(first).toMatchObject({ endedBy: 'budget', progress: { done: 1, skipped: 2 }, cost: { spentUsd: 0.5 } })
      const before = await costOf(Object(first.variants)[0])
      expect(before).toBeGreaterThan(0)
      expect(first).toMatchObject({ cost: { judgesUsd: before }, variants: [{ judgesUsd: before }] })
      // The limit is reached, so it ends at once and is evaluated again.
      expect((await of.client.post(`${trial.path}/retry`, undefined)).status).toBe(202)
      const second = await trialWith(of.client, trial.path)
      const [variant] = Object(second.variants)
      expect(variant.evaluationId).not.toBe(Object(first.variants)[0].evaluationId)
      const all = before + (await costOf(variant))
      expect(variant.judgesUsd).toBeCloseTo(all, 8)
      expect(second).toMatchObject({ cost: { spentUsd: 0.5, judgesUsd: variant.judgesUsd } })
    })
  },
  { retryPauseMs: 1, pauseSeconds: 0.1 },
)
