// @module-tag deep
import { afterEach, expect, it } from 'vitest'
import { browserWith } from '../conformance/team.ts'
import {
  connectModel,
  JUDGE,
  judging,
  type SeededItems,
  seedOutputs,
  start,
  until,
} from '../evaluation-engine/evaluating.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'
import { OFFLINE, slowJudge } from './judged-cases.ts'

const CASES = 80
const CONCURRENCY = 4
/** After so many questions: before the first, in the middle, near the end. */
const MOMENTS = [0, 1, 30]
const EVALUATION_TABLES = ['evaluations', 'evaluation_scores', 'datasets', 'dataset_items', 'jobs']

const { log, logged } = collectingLog('warn')

describeEachEngine(
  'deleting during an evaluation',
  (app) => {
    afterEach(() => {
      logged.length = 0
    })

    const deletes = {
      component: ({ client, below }: SeededItems) => client.delete(below),
      dataset: ({ client, below, datasetId }: SeededItems) => client.delete(`${below}/datasets/${datasetId}`),
      async workspace({ workspaceId }: SeededItems) {
        const owner = await browserWith(app(), workspaceId, 'owner')
        return owner.delete(`/workspaces/${workspaceId}`)
      },
    }

    async function deleteDuring(what: keyof typeof deletes, moment: number): Promise<void> {
      const seeded = await seedOutputs(app(), CASES)
      const server = await connectModel(seeded, { answer: slowJudge(10) })
      const { datasetId, workspaceId } = seeded
      await start(seeded, { datasetId, config: judging({ evaluators: [JUDGE, OFFLINE], concurrency: CONCURRENCY }) })
      await until(() => expect(server.requests.length).toBeGreaterThanOrEqual(moment))
      expect((await deletes[what](seeded)).status).toBe(204)
      const asked = server.requests.length
      await waitForJobs(app().storage, workspaceId)
      const left = await countRows(app().storage, workspaceId)
      for (const table of EVALUATION_TABLES) expect(left).not.toHaveProperty(table)
      if (what === 'workspace') expect(Object.keys(left)).toEqual(['audit_events'])
      // A worker that was about to send a request during the delete sends it, and notices the delete afterwards.
      expect(server.requests.length).toBeLessThanOrEqual(asked + CONCURRENCY)
    }

    it.each(['component', 'dataset', 'workspace'] as const)(
      'of a %s: its evaluation ends, sends no further request, leaves no row, and no attempt fails',
      async (what) => {
        await Promise.all(MOMENTS.map((moment) => deleteDuring(what, moment)))
        expect(logged.filter((line) => /job|evaluator/.test(line))).toEqual([])
      },
    )
  },
  { log, retryPauseMs: 5 },
)
