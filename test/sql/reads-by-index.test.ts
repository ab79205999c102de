// @module-tag deep
/**
 * What a request or a job costs does not grow with all that an application has stored. Without statistics, the planner of SQLite takes a
 * workspace for ten rows, and may read all of them where an index would find one. Every route is asked once, and a trial and an experiment
 * run to their ends.
 */
import { expect, it } from 'vitest'
import { experimentWith, seedExperiment, startExperiment } from '../experiments/seed-experiment.ts'
import { createTestDatabase } from '../harness/each-engine.ts'
import { startTestApp } from '../harness/test-app.ts'
import { ROUTES, requestOf } from '../isolation/route-requests.ts'
import { seedTenant } from '../isolation/seed-tree.ts'
import { waitForJobs } from '../isolation/workspace-rows.ts'
import { seedPromptTrials, startTrial, trialWith, version } from '../trials/seed-trial.ts'
import { openPlanner } from './query-plans.ts'
import { recordStatements } from './recorded-statements.ts'

/** Those with a row for each trace, span, item, rating, score or call. */
const LARGE = [
  'annotations',
  'annotation_changes',
  'dataset_items',
  'evaluation_scores',
  'experiment_calls',
  'run_traces',
  'spans',
  'trace_annotations',
  'trace_comments',
  'trace_facets',
  'traces',
  'trial_calls',
]

/** Undefined for a part of the statement that is no table. */
function tableOf(alias: string, sql: string): string | undefined {
  const [, table] = new RegExp(`(?:from|join|update|into) "?(\\w+)"? as "?${alias}"?\\b`).exec(sql) ?? []
  if (table !== undefined) return table
  return new RegExp(`(?:from|join|update) "?${alias}"?[\\s()]`).test(`${sql} `) ? alias : undefined
}

/** A list in the order of the index ends at its limit. */
function isNewestFirst(alias: string, sql: string): boolean {
  return new RegExp(`order by "${alias}"\\."(id|start_ns)"( asc| desc)?(, "${alias}"\\."id" desc)? limit`).test(sql)
}

it('no statement of a route or a job reads all large rows of an application (sqlite)', async () => {
  const recorder = recordStatements('sqlite')
  const database = await createTestDatabase('sqlite', 'migrated')
  const app = await startTestApp(database.url, {
    environment: { TOUCHSTONE_ALLOWED_EGRESS: '127.0.0.1', TOUCHSTONE_REQUESTS_PER_SECOND: '100000' },
  })
  const planner = await openPlanner('sqlite', database.url)
  const statements = await recorder.during(async () => {
    const { session, ids, workspaceId } = await seedTenant(app, 'mark')
    const asked = ROUTES.filter(({ streams }) => !streams?.includes('text/event-stream'))
    // What deletes comes last.
    const [deleting, others] = [true, false].map((deletes) =>
      asked.filter(({ method }) => (method === 'DELETE') === deletes),
    )
    for (const route of [...(others ?? []), ...(deleting ?? [])]) {
      const { method, path, body, headers = {} } = requestOf(route, ids)
      await session.send(method, path, { ...(body !== undefined && { body }), headers })
    }
    await waitForJobs(app.storage, workspaceId)
    const trials = await seedPromptTrials(app)
    const evaluation = { config: { evaluators: [{ type: 'exactMatch' }] } }
    const variants = [version(trials.promptId, 1), version(trials.promptId, 2)]
    const trial = await startTrial(trials, { variants, evaluation })
    await trialWith(trials.client, trial.path)
    await trials.client.get(`${trial.path}/matrix`)
    const experimented = await seedExperiment(app)
    const experiment = await startExperiment(experimented, { budget: { maxCalls: 200 } })
    await experimentWith(experimented.client, experiment.path)
    await waitForJobs(app.storage, experimented.workspaceId)
  })
  const found: string[] = []
  // These two are made for each connection, and their searches are limited by themselves.
  const planned = [...new Set(statements)].filter((sql) => !/not_canceled|search\.progress/.test(sql))
  for (const statement of planned) {
    const sql = statement.replace(/\s+/g, ' ')
    for (const line of await planner.planOf(statement)) {
      const [, alias] = /^ *(?:SCAN (\w+)|SEARCH (\w+) USING .*\(workspace_id=\?\))$/.exec(line)?.filter(Boolean) ?? []
      if (alias === undefined || isNewestFirst(alias, sql)) continue
      if (LARGE.includes(tableOf(alias, sql) ?? '')) found.push(`${line.trim()}: ${sql}`)
    }
  }
  expect(found).toEqual([])
  expect(planned.length).toBeGreaterThan(500)
  recorder.stop()
  await planner.close()
  await app.close()
  database.remove()
})
