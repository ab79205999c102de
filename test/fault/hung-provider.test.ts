// @module-tag deep
import { expect, it } from 'vitest'
import { connectModel, judging, type Row, seedOutputs, start, until } from '../evaluation-engine/evaluating.ts'
import type { Client } from '../harness/client.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { OFFLINE, slowJudge, untilNoJobs } from './judged-cases.ts'

const WORKER_CONCURRENCY = 4
/** As many as the worker runs at the same time, each waiting for an answer; as many again, which wait to ask; and one that waits to run. */
const HUNG = 2 * WORKER_CONCURRENCY + 1
const AT_ONCE = 2

describeEachEngine(
  'a provider that hangs',
  (app) => {
    const statusOf = async (client: Client, path: string): Promise<unknown> => (await client.get(path)).body.status

    it('blocks its own evaluations and no others, though they occupy every worker slot and their calls never end', async () => {
      const stuck = await seedOutputs(app(), 12)
      const hanging = await connectModel(
        stuck,
        { misbehaviour: () => 'hang' },
        { concurrency: WORKER_CONCURRENCY * AT_ONCE },
      )
      const hung: string[] = []
      for (let count = 0; count < HUNG; count += 1) {
        hung.push(
          await start(stuck, { datasetId: stuck.datasetId, config: judging({ repetitions: 2, concurrency: AT_ONCE }) }),
        )
      }
      await until(() => expect(hanging.requests).toHaveLength(WORKER_CONCURRENCY * AT_ONCE))

      const well = await seedOutputs(app(), 12)
      const healthy = await connectModel(well, { answer: slowJudge(5) })
      const judged = await start(well, { datasetId: well.datasetId, config: judging() })
      const offline = await start(well, { datasetId: well.datasetId, config: { evaluators: [OFFLINE] } })
      const startedAt = performance.now()
      await until(async () => expect(await statusOf(well.client, offline)).toBe('completed'))
      await until(async () => expect(await statusOf(well.client, judged)).toBe('completed'))
      console.log(`the others were done after ${Math.round(performance.now() - startedAt)} ms`)
      expect(healthy.requests).toHaveLength(12)
      // Those that only waited to send a request have yielded, and had another turn since.
      const claims = () => app().storage.read.selectFrom('jobs').select('fence').execute()
      await until(async () => expect((await claims()).some(({ fence }) => fence > 1)).toBe(true))
      for (const path of hung) {
        const { body } = await stuck.client.get(path)
        expect(['pending', 'running']).toContain(body.status)
        expect(body.progress).toMatchObject({ done: 0, failed: 0, skipped: 0 })
      }
      // Taking turns is no reason to ask more: the questions that hang are still the only ones.
      expect(hanging.requests).toHaveLength(WORKER_CONCURRENCY * AT_ONCE)
      expect(hanging.concurrentMax).toBe(WORKER_CONCURRENCY * AT_ONCE)
      // Requests that only waited for their turn were not sent, which is no attempt.
      const attempts = await app()
        .storage.read.selectFrom('evaluation_scores')
        .select('attempts')
        .where('workspace_id', '=', stuck.workspaceId)
        .where('attempts', '>', 0)
        .execute()
      expect(attempts).toEqual([])
      for (const path of hung) expect((await stuck.client.delete(path)).status).toBe(204)
      await untilNoJobs(app().storage)
    })

    it('several evaluations together never ask a connection more at once than it allows', async () => {
      const seeded = await seedOutputs(app(), 10)
      const server = await connectModel(seeded, { answer: slowJudge(20) }, { concurrency: 3 })
      const config: Row = judging({ repetitions: 2, concurrency: 8 })
      const paths: string[] = []
      for (let count = 0; count < 4; count += 1) {
        paths.push(await start(seeded, { datasetId: seeded.datasetId, config }))
      }
      for (const path of paths) await until(async () => expect(await statusOf(seeded.client, path)).toBe('completed'))
      expect(server.requests).toHaveLength(paths.length * 10 * 2)
      expect(server.concurrentMax).toBe(3)
    })
  },
  { turnMs: 300, environment: { TOUCHSTONE_WORKER_CONCURRENCY: String(WORKER_CONCURRENCY) } },
)
