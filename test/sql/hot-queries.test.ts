// @module-tag sql
/**
 * The SQL of the most frequent requests and the plans of both engines, in files next to this one, so that a change of a statement or of
 * an index is seen in review. `vitest run test/sql --update` writes them again.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import { enqueueJob } from '../../src/jobs/enqueue.ts'
import { claimJobsOfAnyWorkspace } from '../../src/jobs/job-queries.ts'
import type { Client } from '../harness/client.ts'
import { createTestDatabase, describeEngines, type TestDatabase } from '../harness/each-engine.ts'
import { sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp, type TestApp } from '../harness/test-app.ts'
import { openPlanner, type Planner } from './query-plans.ts'
import { type Recorder, recordStatements } from './recorded-statements.ts'

describeEngines('the SQL of the most frequent requests, and its plans', (engine) => {
  let database: TestDatabase
  let app: TestApp
  let recorder: Recorder
  let planner: Planner
  let client: Client
  let component = ''
  let annotations = ''

  beforeAll(async () => {
    recorder = recordStatements(engine)
    database = await createTestDatabase(engine, 'migrated')
    app = await startTestApp(database.url, { works: false })
    planner = await openPlanner(engine, database.url)
    client = (await app.newWorkspace()).client
    component = `/components/${await client.create('/components', { name: 'Answers' })}`
    const datasetId = await client.create(`${component}/datasets`, { name: 'Questions', traceIds: ['a'] })
    const runId = await client.create(`${component}/runs`, { datasetId, traceIds: ['a'] })
    annotations = `${component}/runs/${runId}/annotations`
  })
  afterAll(async () => {
    recorder.stop()
    await planner.close()
    await app.close()
    database.remove()
  })

  const get = (path: string) => async () => expect((await client.get(path)).status).toBe(200)
  let traces = 0
  const spans = () => {
    traces += 1
    const traceId = traceIdOf(traces)
    return sendSpans(client, [
      { traceId, spanId: spanIdOf(1), name: 'root' },
      { traceId, spanId: spanIdOf(2), parentSpanId: spanIdOf(1), name: 'step' },
    ])
  }
  const lateSpan = () => sendSpans(client, [{ traceId: traceIdOf(1), spanId: spanIdOf(2 + traces), name: 'late' }])
  const filters = 'status=error&service=web&session_id=s&start_after=2026-01-01T00:00:00Z'

  const requests: Record<string, () => Promise<unknown>> = {
    'authenticate by a key (GET /workspace)': get('/workspace'),
    'store the spans of a new trace (POST /v1/traces)': spans,
    'store a span of a trace that is known (POST /v1/traces)': async () => {
      traces += 1
      await lateSpan()
    },
    'one component (GET /components/:id)': () => get(component)(),
    'list of components (GET /components)': get('/components'),
    'list of traces (GET /traces)': get('/traces?offset=1'),
    'list of traces by start (GET /traces?sort)': get('/traces?sort=-time&limit=1'),
    'list of traces, filtered (GET /traces?status&service&session_id&start_after)': get(`/traces?${filters}&offset=1`),
    'spans of a trace (GET /traces/:id)': get(`/traces/${traceIdOf(1)}`),
    'save an annotation (POST …/annotations)': () => client.create(annotations, { traceDbId: 'a', rating: 'positive' }),
    'claim jobs': claim,
  }

  async function claim(): Promise<void> {
    const clock = systemClock()
    const newId = idGenerator(clock)
    const job = { workspaceId: newId(), kind: 'any', payload: {} }
    await app.storage.transaction((tx) => enqueueJob(tx, { clock, newId }, job))
    const wanted = { owner: 'a worker', limit: 3, leaseSeconds: 60 }
    await app.storage.transaction((tx) => claimJobsOfAnyWorkspace(tx, clock, wanted))
  }

  it('are those of the committed file', async () => {
    const parts: string[] = []
    const known = new Set<string>()
    for (const [name, send] of Object.entries(requests)) {
      // The first time inserts what is then updated; the write after it makes the server forget what it remembers of lists.
      await send()
      await client.create('/components', { name: 'Other' })
      const recorded = await recorder.during(send)
      // The text index is maintained in the background at any time; only that reads the catalog.
      const statements = new Set(recorded.filter((statement) => !/\bpg_(class|index)\b/.test(statement)))
      parts.push(`-- ${name} --`)
      // Statements that have been shown, such as those of authentication, are not repeated.
      for (const sql of [...statements].filter((statement) => !known.has(statement))) {
        known.add(sql)
        const plan = await planner.planOf(sql)
        parts.push([readable(sql), ...plan.map((line) => `-- ${line}`)].join('\n'))
      }
    }
    await expect(`${parts.join('\n\n')}\n`).toMatchFileSnapshot(`./hot-queries.${engine}.sql`)
  })
})

/** A line per clause; lists of parameters are shortened. */
function readable(sql: string): string {
  return sql
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\((?:\?|\$\d+)(?:, (?:\?|\$\d+))+\)/g, '(…)')
    .replace(/\(…\)(?:, \(…\))+/g, '(…), …')
    .replace(
      / (from|where|and|order by|group by|limit|inner join|left join|union all|on conflict|returning|values|set) /g,
      '\n  $1 ',
    )
}
