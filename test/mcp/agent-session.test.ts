/** An agent is asked what got worse, and finds the three worst traces. Every number that it reads is that of the API. */
import { expect, it } from 'vitest'
import { newRaters } from '../annotations/rated-run.ts'
import { passesOf, seedComparison } from '../comparisons/seed-comparison.ts'
import { describeEachEngine } from '../harness/each-engine.ts'
import { connectAgent } from './mcp-client.ts'

describeEachEngine('an agent that searches for a regression', (app) => {
  it('goes from the component to the three worst traces, with the numbers of the API', async () => {
    const seeded = await seedComparison(app(), {
      items: 24,
      baseline: passesOf(24, () => ({ scores: { correct: 1 }, durationMs: 100, costUsd: 0.01 })),
      candidate: passesOf(24, (item) => ({
        scores: { correct: item < 9 ? item / 10 : 1 },
        durationMs: 300,
        costUsd: 0.02,
      })),
    })
    const { client, workspaceId, component, baseline, candidate, itemIds, at } = seeded
    const [reader] = await newRaters(app(), { workspaceId, count: 1 })
    const agent = await connectAgent(app().url, reader?.key ?? '')

    const components = await agent.call('list_components')
    const { body: summaries } = await client.get('/component-summaries')
    expect(components.rows[0]).toMatchObject(withoutNulls(dataOf(summaries)[0], ['id', 'name', 'counts']))
    const componentId = components.rows[0]?.id
    expect(component).toBe(`/components/${componentId}`)

    const runs = await agent.call('list_runs', { component: componentId })
    const { body: runSummaries } = await client.get(`${component}/run-summaries`)
    const fields = ['id', 'name', 'datasetId', 'traceCount', 'createdAt', 'rated', 'unrated', 'traces']
    expect(runs.rows).toMatchObject(dataOf(runSummaries).map((run) => withoutNulls(run, fields)))
    const [newer, older] = runs.rows
    expect([older?.id, newer?.id]).toEqual([baseline.runId, candidate.runId])

    const comparison = await agent.call('compare_runs', {
      component: componentId,
      baseline: older?.id,
      candidate: newer?.id,
      limit: 3,
    })
    const { body: expected } = await client.get(at('filter=regressed&limit=3'))
    expect(expected.verdict).toBe('regressed')
    const facts = ['verdict', 'summary', 'pairs', 'onlyBaseline', 'onlyCandidate', 'failed', 'counts']
    expect(comparison).toMatchObject(withoutNulls(expected, facts))
    const metrics: Record<string, unknown>[] = Object(comparison.metrics)
    expect(metrics).toHaveLength(dataOf(expected, 'metrics').length)
    for (const [place, metric] of dataOf(expected, 'metrics').entries())
      expect(metrics[place]).toMatchObject(
        withoutNulls(metric, [
          'name',
          'n',
          'difference',
          'ci',
          'ratio',
          'ratioCi',
          'wins',
          'ties',
          'losses',
          'verdict',
          'summary',
        ]),
      )
    const rowFields = ['itemId', 'baselineTraceId', 'candidateTraceId']
    expect(comparison.rows).toMatchObject(dataOf(expected).map((row) => withoutNulls(row, rowFields)))
    expect(comparison.rows.map(({ itemId }) => itemId)).toEqual(itemIds.slice(0, 3))
    expect(comparison).toMatchObject({ hasMore: true, nextCursor: '3' })

    for (const { candidateTraceId } of comparison.rows) {
      const trace = await agent.call('get_trace', { traceId: candidateTraceId, include: ['io'] })
      const { body } = await client.get(`/traces/${candidateTraceId}`)
      const numbers = ['id', 'traceId', 'status', 'durationMs', 'totalTokens', 'totalCostUsd', 'startTime', 'endTime']
      expect(trace).toMatchObject(withoutNulls(body, numbers))
      expect(trace.spanCount).toBe(dataOf(body, 'spans').length)
      const { body: links } = await client.get(`/traces/${candidateTraceId}/links`)
      expect(trace.scores).toMatchObject(
        dataOf(links, 'scores').map((score) => withoutNulls(score, ['evaluationId', 'evaluator', 'score'])),
      )
    }

    const next = await agent.call('compare_runs', {
      component: componentId,
      baseline: older?.id,
      candidate: newer?.id,
      limit: 100,
      include: ['io'],
      cursor: comparison.nextCursor,
    })
    expect(next.rows.map(({ itemId }) => itemId)).toEqual(itemIds.slice(3, 9))
    expect(next.hasMore).toBe(false)
    expect(next.rows[0]?.input).toBe('question 3')
    const worst = await agent.call('list_worst_cases', {
      component: componentId,
      run: newer?.id,
      metric: 'correct',
      limit: 3,
    })
    const { body: cases } = await client.get(
      `${component}/runs/${candidate.runId}/cases?sort=score&metric=correct&limit=3`,
    )
    expect(worst.rows.map(({ itemId }) => itemId)).toEqual(dataOf(cases).map(({ itemId }) => itemId))
  })
})

function dataOf(body: Record<string, unknown>, field = 'data'): Record<string, unknown>[] {
  const list = body[field]
  if (!Array.isArray(list) || list.length === 0) throw new Error(`${field} must have entries`)
  return list
}

/** These fields of a response, as results of tools have them: without null, at any depth. */
function withoutNulls(value: unknown, fields: readonly string[]): Record<string, unknown> {
  const picked = Object.fromEntries(fields.map((name) => [name, Object(value)[name]]))
  return JSON.parse(JSON.stringify(picked, (_, entry) => (entry === null ? undefined : entry)))
}
