/** What decides scores and is not in the config of an evaluation: if it changes, the change is not reported as one of the runs. */
import { expect, it } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { startModelServer } from '../harness/model-server.ts'
import {
  connectModel,
  ended,
  evaluated,
  judging,
  QUICK,
  type Row,
  rowsIn,
  seedComponent,
  seedItems,
} from './evaluating.ts'

const HUMAN = { type: 'humanRating', name: 'people' }

describeEachEngine(
  'two evaluations with the same config',
  (app) => {
    /** Two runs with the same answers, of which the first one can be evaluated before something changes. */
    async function seedRuns(count: number) {
      const seeded = await seedComponent(app())
      const { client, below } = seeded
      const items = Array.from({ length: count }, (_, place) => ({ input: `question ${place}`, expected: 'yes' }))
      const { datasetId, itemIds } = await seedItems(seeded, items)
      const run = async (name: string) => {
        const runId = await client.create(`${below}/runs`, { datasetId, name })
        const traces = itemIds.map((itemId) => ({
          traceId: `${name}-${itemId}`,
          run: name,
          itemId,
          output: `yes, ${name}`,
        }))
        expect((await client.post(`${below}/traces`, { traces })).status).toBe(201)
        return runId
      }
      const [baselineRunId, runId] = [await run('v1'), await run('v2')]
      const evaluate = (config: Row, evaluatedRun = runId) =>
        evaluated(seeded, { datasetId, runId: evaluatedRun, config })
      return { ...seeded, itemIds, baselineRunId, runId, evaluate }
    }

    async function connectionOf({ admin }: { admin: { list(path: string): Promise<Row[]> } }): Promise<string> {
      const [connection] = await admin.list('/connections')
      return `/connections/${connection?.id}`
    }

    async function notCompared(results: unknown, name: string): Promise<unknown> {
      const { comparison, gate } = Object(results)
      const row = rowsIn(comparison.notCompared).find((one) => one.name === name)
      if (row)
        expect(gate).toMatchObject({
          passed: false,
          summary: `Cannot decide: ${name} is not compared (${row.reason}).`,
        })
      return row?.reason
    }

    it('are not compared by a judge if the connection chose another model, or asks at another address', async () => {
      const seeded = await seedRuns(2)
      const { admin, baselineRunId, evaluate } = seeded
      await connectModel(seeded)
      await evaluate(judging(), baselineRunId)
      const gated = judging({ baselineRunId, gate: { metric: 'good', margin: 0.1 } })
      expect(Object((await evaluate(gated)).results).comparison.notCompared).toEqual([])

      const connection = await connectionOf(seeded)
      expect((await admin.patch(connection, { models: ['judge-2', 'judge-1'] })).status).toBe(200)
      expect(await notCompared((await evaluate(gated)).results, 'good')).toBe(
        'the two evaluations asked different models, judge-1 and judge-2: evaluate the baseline like the candidate',
      )

      await using elsewhere = await otherModelServer()
      expect((await admin.patch(connection, { models: ['judge-1'], baseUrl: elsewhere.baseUrl })).status).toBe(200)
      expect(await notCompared((await evaluate(gated)).results, 'good')).toBe(
        'the two evaluations asked judge-1 at different addresses: evaluate the baseline like the candidate',
      )
      // Evaluated the same way again, they are compared.
      await evaluate(judging(), baselineRunId)
      expect(await notCompared((await evaluate(gated)).results, 'good')).toBeUndefined()
    })

    it('are not compared if another model judged what a retry tried again', async () => {
      const seeded = await seedRuns(2)
      const { client, admin, baselineRunId, evaluate } = seeded
      const server = await connectModel(seeded)
      await evaluate(judging(), baselineRunId)
      server.misbehave({ status: 400 })
      const gated = judging({ baselineRunId, gate: { metric: 'good', margin: 0.1 }, concurrency: 1 })
      const { path } = await evaluate(gated)
      expect((await admin.patch(await connectionOf(seeded), { models: ['judge-2'] })).status).toBe(200)
      expect((await client.post(`${path}/retry`, undefined)).status).toBe(202)
      const { results } = await ended(client, path)
      expect(await notCompared(results, 'good')).toBe(
        'the two evaluations asked different models, judge-1 and judge-1 then judge-2: evaluate the baseline like the candidate',
      )
    })

    it('are not compared by ratings of people if the scheme gave a word another meaning, but if it has more words', async () => {
      const { client, below, itemIds, baselineRunId, runId, evaluate } = await seedRuns(2)
      for (const itemId of itemIds) {
        await client.create(`${below}/runs/${baselineRunId}/annotations`, {
          traceDbId: `v1-${itemId}`,
          rating: 'positive',
        })
        await client.create(`${below}/runs/${runId}/annotations`, { traceDbId: `v2-${itemId}`, rating: 'positive' })
      }
      await evaluate({ evaluators: [HUMAN] }, baselineRunId)
      const gated = { evaluators: [HUMAN], baselineRunId, gate: { metric: 'people', margin: 0.1 } }
      const setScheme = (scores: Record<string, number>) =>
        client.send('PUT', '/rating-scheme', {
          body: { ratings: Object.entries(scores).map(([value, score]) => ({ value, score })), ordered: true },
        })
      expect((await setScheme({ positive: 1, partly: 0.5, negative: 0 })).status).toBe(200)
      expect(await notCompared((await evaluate(gated)).results, 'people')).toBeUndefined()
      expect((await setScheme({ excellent: 5, positive: 1, negative: 0 })).status).toBe(200)
      expect(await notCompared((await evaluate(gated)).results, 'people')).toBe(
        'the rating scheme gave “positive” another meaning in between: evaluate the baseline like the candidate',
      )
    })
  },
  QUICK,
)

async function otherModelServer() {
  const server = await startModelServer()
  return { ...server, [Symbol.asyncDispose]: () => server.close() }
}
