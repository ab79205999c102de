import { expect, it, onTestFinished } from 'vitest'
import { describeEachEngine } from '../harness/each-engine.ts'
import { startModelServer } from '../harness/model-server.ts'
import { ended, judging, QUICK, seedOutputs, start, until } from './evaluating.ts'

const CASES = 40

describeEachEngine(
  'the places at a host',
  (app) => {
    it('applications with their own connections to one host send at most 32 requests at a time', async () => {
      const gate: { open(): void } = { open: () => {} }
      const opened = new Promise<void>((resolve) => (gate.open = resolve))
      const server = await startModelServer({
        answer: async () => {
          await opened
          return { reason: 'fine', passed: true }
        },
      })
      onTestFinished(() => server.close())
      const applications = await Promise.all([seedOutputs(app(), CASES), seedOutputs(app(), CASES)])
      const connection = { name: 'judges', baseUrl: server.baseUrl, models: ['judge-1'], concurrency: 100 }
      for (const { admin } of applications) await admin.create('/connections', connection)
      const config = judging({ concurrency: 100 })
      const paths = await Promise.all(
        applications.map((seeded) => start(seeded, { datasetId: seeded.datasetId, config })),
      )
      // Nothing is answered before both run and all places are taken.
      await until(async () => {
        for (const [index, { client }] of applications.entries()) {
          expect((await client.get(paths[index] ?? '')).body).toMatchObject({ status: 'running' })
        }
        expect(server.requests).toHaveLength(32)
      })
      gate.open()
      for (const [index, { client }] of applications.entries()) {
        const body = await ended(client, paths[index] ?? '')
        expect(body).toMatchObject({ status: 'completed', progress: { total: CASES, done: CASES, failed: 0 } })
      }
      expect(server.concurrentMax).toBe(32)
    })
  },
  QUICK,
)
