import { expect, it } from 'vitest'
import { expectError } from '../conformance/answer-forms.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectModel, evaluated, judging, QUICK, seedOutputs, start, until } from './evaluating.ts'

describeEachEngine(
  'deleting an evaluation',
  (app) => {
    async function rowsOf(evaluationId: string) {
      const scores = await app()
        .storage.read.selectFrom('evaluation_scores')
        .select('case_ref')
        .where('evaluation_id', '=', evaluationId)
        .execute()
      const evaluations = await app()
        .storage.read.selectFrom('evaluations')
        .select('id')
        .where('id', '=', evaluationId)
        .execute()
      return { scores: scores.length, evaluations: evaluations.length }
    }

    async function startHanging() {
      const seeded = await seedOutputs(app(), 8)
      const server = await connectModel(seeded, { misbehaviour: () => 'hang' })
      const path = await start(seeded, { datasetId: seeded.datasetId, config: judging() })
      await until(() => expect(server.requests.length).toBeGreaterThanOrEqual(4))
      return { ...seeded, server, path, id: path.split('/').at(-1) ?? '' }
    }

    it('204 for a finished one; it and its scores are deleted permanently', async () => {
      const seeded = await seedOutputs(app(), 3)
      const { client, at } = seeded
      const kept = await evaluated(seeded, { datasetId: seeded.datasetId })
      const { path, id } = await evaluated(seeded, { datasetId: seeded.datasetId })
      const answer = await client.delete(path)
      expect(answer.status).toBe(204)
      expect(answer.text).toBe('')
      expectError(await client.get(path), 404, 'Evaluation not found')
      expect((await client.get(`${path}/scores`)).text).toBe('{"data":[]}')
      expectError(await client.delete(path), 404, 'Evaluation not found')
      expect((await client.list(at)).map((one) => one.id)).toEqual([kept.id])
      await until(async () => expect(await rowsOf(String(id))).toEqual({ scores: 0, evaluations: 0 }))
      expect(await rowsOf(String(kept.id))).toEqual({ scores: 12, evaluations: 1 })
    })

    it('204 for one that runs: its calls are ended, its rows go, and nothing is written afterwards', async () => {
      const { client, server, path, id } = await startHanging()
      expect((await client.delete(path)).status).toBe(204)
      expectError(await client.get(path), 404, 'Evaluation not found')
      await until(() => expect(server.socketsOpen).toBe(0))
      await until(async () => expect(await rowsOf(id)).toEqual({ scores: 0, evaluations: 0 }))
      const asked = server.requests.length
      await until(async () => {
        const jobs = await app().storage.read.selectFrom('jobs').select('payload').execute()
        expect(jobs.filter(({ payload }) => payload.includes(id))).toEqual([])
      })
      expect(server.requests).toHaveLength(asked)
      expect(await rowsOf(id)).toEqual({ scores: 0, evaluations: 0 })
    })

    it('deleting a dataset stops its running evaluation: no further request goes to the model', async () => {
      const { client, server, below, datasetId, path, id } = await startHanging()
      expect((await client.delete(`${below}/datasets/${datasetId}`)).status).toBe(204)
      expectError(await client.get(path), 404, 'Evaluation not found')
      await until(() => expect(server.socketsOpen).toBe(0))
      const asked = server.requests.length
      await until(async () => expect(await rowsOf(id)).toEqual({ scores: 0, evaluations: 0 }))
      expect(server.requests).toHaveLength(asked)
    })
  },
  { ...QUICK, modelTimeoutMs: 120_000 },
)
