// @module-tag sql
/**
 * What storing costs does not grow with what an application has stored. Without statistics, the planner of SQLite takes a workspace for
 * ten rows, and may read all of them where an index would find one.
 */
import { expect, it } from 'vitest'
import { createTestDatabase } from '../harness/each-engine.ts'
import { sendLogs, sendSpans, spanIdOf, traceIdOf } from '../harness/otlp-json.ts'
import { startTestApp } from '../harness/test-app.ts'
import { openPlanner } from './query-plans.ts'
import { recordStatements } from './recorded-statements.ts'

/** Tables with a row for each item, span, event or link. The number of events that wait is limited, and their index is counted. */
const WHOLE_WORKSPACE =
  /^ *SEARCH (i|o|l|s|t|dataset_items|run_traces|spans|traces|pending_span_events) USING (?!COVERING INDEX pending_).*\(workspace_id=\?\)$/

it('storing spans, log events and links reads no table of an application as a whole (sqlite)', async () => {
  const recorder = recordStatements('sqlite')
  const database = await createTestDatabase('sqlite', 'migrated')
  const app = await startTestApp(database.url, { works: false })
  const planner = await openPlanner('sqlite', database.url)
  const { client } = await app.newWorkspace()
  const component = await client.create('/components', { name: 'Answers' })
  const dataset = await client.create(`/components/${component}/datasets`, { name: 'Questions' })
  const event = (trace: number, span: number) =>
    sendLogs(client, [{ traceId: traceIdOf(trace), spanId: spanIdOf(span), name: 'gen_ai.choice', body: 'Yes' }])
  const span = (trace: number, number: number, attributes: Record<string, unknown> = {}) =>
    sendSpans(client, [{ traceId: traceIdOf(trace), spanId: spanIdOf(number), attributes }])
  const links = { 'touchstone.component': 'Answers', 'touchstone.dataset.id': dataset }
  const statements = await recorder.during(async () => {
    await event(1, 1)
    await span(1, 1, { ...links, 'touchstone.run': 'first' })
    await event(1, 1)
    // Moves the trace.
    await sendSpans(client, [
      { traceId: traceIdOf(2), spanId: spanIdOf(2), parentSpanId: spanIdOf(1), attributes: links },
    ])
    await span(2, 1, { ...links, 'touchstone.run': 'second', 'touchstone.input': 'Why?' })
    await client.post(`/components/${component}/traces`, { traceId: 'sent as JSON', input: 'Why?', output: 'So.' })
  })
  const found: string[] = []
  for (const statement of new Set(statements)) {
    for (const line of await planner.planOf(statement))
      if (WHOLE_WORKSPACE.test(line)) found.push(`${line}: ${statement}`)
  }
  expect(found).toEqual([])
  recorder.stop()
  await planner.close()
  await app.close()
  database.remove()
})
