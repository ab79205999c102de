// @module-tag sql
/** A request reads before a delete and writes after it: neither the reclaim job nor the writer may fail. */
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { purgeSteps } from '../../src/job-handlers.ts'
import { createPurgeHandler } from '../../src/purge/purge-job.ts'
import { insertAnswers } from '../../src/spending/cached-answer-queries.ts'
import type { Queries } from '../../src/storage/db.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { browserWith } from '../conformance/team.ts'
import { seedOutputs, start, until } from '../evaluation-engine/evaluating.ts'
import { collectingLog } from '../harness/collecting-log.ts'
import { createTestDatabase, describeEachEngine } from '../harness/each-engine.ts'
import { startTestApp } from '../harness/test-app.ts'
import { countRows, waitForJobs } from '../isolation/workspace-rows.ts'

const CONFIG = { evaluators: [{ type: 'contains', name: 'word', value: 'answer' }] }
/** More than one: they need not all come at the same moment. */
const LATE_SCORES = 3

describeEachEngine(
  'freeing the space of deleted rows',
  (app) => {
    /** Frees as the job does, while another writer writes between its read and its next transaction. */
    async function purgeWhile(
      { workspaceId, ...payload }: { workspaceId: string; what: string; id: string },
      writeConcurrently: () => Promise<void>,
    ): Promise<void> {
      const { storage, clock } = app()
      await createPurgeHandler(purgeSteps).run({
        workspaceId,
        payload,
        db: storage,
        clock,
        newId: idGenerator(clock),
        signal: new AbortController().signal,
        shouldYield: () => false,
        async commit(work) {
          await writeConcurrently()
          return storage.transaction(work)
        },
      })
    }

    it('continues when rows were added meanwhile to a table that was already empty', async () => {
      const seeded = await seedOutputs(app(), 3)
      const { client, below, datasetId, workspaceId } = seeded
      const evaluationId = (await start(seeded, { datasetId, config: CONFIG })).split('/').at(-1) ?? ''
      expect((await client.delete(`${below}/datasets/${datasetId}`)).status).toBe(204)
      let added = 0
      await purgeWhile({ workspaceId, what: 'dataset', id: datasetId }, async () => {
        if (added === LATE_SCORES) return
        added += 1
        await app().storage.transaction((tx) => addScore(tx, { workspaceId, evaluationId, place: added }))
      })
      expect(added).toBe(LATE_SCORES)
      const left = await countRows(app().storage, workspaceId)
      for (const table of ['evaluation_scores', 'evaluations', 'dataset_items', 'datasets'])
        expect(left).not.toHaveProperty(table)
    })

    async function addScore(
      tx: Queries,
      { workspaceId, evaluationId, place }: { workspaceId: string; evaluationId: string; place: number },
    ): Promise<void> {
      await tx
        .insertInto('evaluation_scores')
        .values({
          score: null,
          label: null,
          passed: null,
          reason: null,
          workspace_id: workspaceId,
          evaluation_id: evaluationId,
          case_ref: `late ${place}`,
          evaluator: 'word',
          repetition: 0,
          state: 'queued',
          created_at: timestamp(app().clock.now()),
        })
        .execute()
    }

    it('an answer of a model for a deleted workspace is not stored, and nothing fails', async () => {
      const { workspaceId } = await app().newWorkspace()
      const owner = await browserWith(app(), workspaceId, 'owner')
      expect((await owner.delete(`/workspaces/${workspaceId}`)).status).toBe(204)
      const now = timestamp(app().clock.now())
      const answers = [{ hash: 'a', answer: '{}', inputTokens: 1, outputTokens: 1, costUsd: 0 }]
      await app().storage.transaction((tx) => insertAnswers(tx, workspaceId, { answers, now }))
      expect(await countRows(app().storage, workspaceId)).not.toHaveProperty('model_answers')
      await purgeWhile({ workspaceId, what: 'workspace', id: workspaceId }, async () => {})
      await app().storage.transaction((tx) => insertAnswers(tx, workspaceId, { answers, now }))
    })
  },
  { works: false },
)

it.each(['evaluation', 'dataset', 'component', 'workspace'] as const)(
  'an evaluation that plans its scores keeps its %s until they are stored, and neither it nor the delete fails',
  async (what) => {
    const { log, logged } = collectingLog('warn')
    const database = await createTestDatabase('postgres', 'migrated')
    const app = await startTestApp(database.url, { log })
    const other = new pg.Client(database.url)
    await other.connect()
    try {
      const seeded = await seedOutputs(app, 3)
      const { client, below, datasetId, workspaceId } = seeded
      const owner = await browserWith(app, workspaceId, 'owner')
      await other.query('begin')
      // Reads continue, but no one can add a score: the evaluation has seen that it is active, and waits.
      await other.query('lock table evaluation_scores in share row exclusive mode')
      const path = await start(seeded, { datasetId, config: CONFIG })
      await until(async () => expect(await waits(app.storage)).toContain('relation'))
      const deleting = {
        evaluation: () => client.delete(path),
        dataset: () => client.delete(`${below}/datasets/${datasetId}`),
        component: () => client.delete(below),
        workspace: () => owner.delete(`/workspaces/${workspaceId}`),
      }[what]()
      await until(async () => {
        const isGone = !('evaluations' in (await countRows(app.storage, workspaceId)))
        expect(isGone || (await waits(app.storage)).includes('transactionid')).toBe(true)
      })
      await other.query('commit')
      expect((await deleting).status).toBe(204)
      await waitForJobs(app.storage, workspaceId)
      const left = await countRows(app.storage, workspaceId)
      for (const table of ['evaluations', 'evaluation_scores']) expect(left).not.toHaveProperty(table)
      expect(logged.filter((line) => line.includes('job'))).toEqual([])
    } finally {
      await other.end()
      await app.close()
      database.remove()
    }
  },
)

/** What connections to the database wait for at this moment. */
async function waits({ read }: Storage): Promise<string[]> {
  const { rows } = await sql<{ what: string }>`select wait_event as what from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(read)
  return rows.map((row) => row.what)
}
