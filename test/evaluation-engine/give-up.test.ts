import { expect, it } from 'vitest'
import { idGenerator } from '../../src/base/ids.ts'
import { createEvaluationHandler, type EvaluationDeps } from '../../src/evaluations/runner/run-evaluation.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { waitFor } from '../harness/server-process.ts'
import { connectModel, judging, QUICK, seedOutputs, start } from './evaluating.ts'

const CASES = 500
/** What one transaction may change, so that others can write in between. */
const CASES_PER_TRANSACTION_MAX = 200

/** Giving up needs none of them. */
const PARTS: EvaluationDeps = JSON.parse('{}')

describeEachEngine(
  'an evaluation that every attempt failed at',
  (app) => {
    it('ends at once, and its open scores end in chunks with the reason', async () => {
      const seeded = await seedOutputs(app(), CASES)
      await connectModel(seeded, { misbehaviour: () => 'hang' })
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
      const evaluationId = path.split('/').at(-1) ?? ''
      const { workspaceId } = seeded
      const skipped = async () => {
        const rows = await app()
          .storage.read.selectFrom('evaluation_scores')
          .select('reason')
          .where('evaluation_id', '=', evaluationId)
          .where('state', '=', 'skipped')
          .execute()
        return rows.map(({ reason }) => reason)
      }
      await waitFor('all scores to be planned', async () => {
        const { count } = await app()
          .storage.read.selectFrom('evaluation_scores')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('evaluation_id', '=', evaluationId)
          .executeTakeFirstOrThrow()
        return Number(count) === CASES || undefined
      })
      const job = { workspaceId, payload: { evaluationId }, clock: app().clock, newId: idGenerator(app().clock) }
      await app().storage.transaction(async (tx) => {
        await tx.deleteFrom('jobs').where('workspace_id', '=', workspaceId).execute()
        await createEvaluationHandler(PARTS).onFailed(tx, job, 'its worker ended')
        const rows = await tx
          .selectFrom('evaluation_scores')
          .select('state')
          .where('evaluation_id', '=', evaluationId)
          .execute()
        expect(rows.filter(({ state }) => state === 'skipped').length).toBeLessThanOrEqual(CASES_PER_TRANSACTION_MAX)
        // The job that skips the others; below it is run by the test, which counts what each transaction changes.
        const { numDeletedRows } = await tx
          .deleteFrom('jobs')
          .where('workspace_id', '=', workspaceId)
          .executeTakeFirst()
        expect(numDeletedRows).toBe(1n)
      })
      const { body } = await seeded.client.get(path)
      expect(body).toMatchObject({ status: 'failed', error: expect.stringContaining('its worker ended') })
      const chunks: number[] = []
      await createEvaluationHandler(PARTS).run({
        ...job,
        db: app().storage,
        signal: new AbortController().signal,
        shouldYield: () => false,
        commit: async (work) => {
          const before = (await skipped()).length
          const result = await app().storage.transaction(work)
          chunks.push((await skipped()).length - before)
          return result
        },
      })
      expect(Math.max(...chunks)).toBeLessThanOrEqual(CASES_PER_TRANSACTION_MAX)
      expect(await skipped()).toHaveLength(CASES)
      expect(new Set(await skipped())).toEqual(new Set([body.error]))
    })
  },
  QUICK,
)
