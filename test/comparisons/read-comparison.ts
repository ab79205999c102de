/** How tests ask for a comparison and find their way in it. */
import type { TestApp } from '../harness/test-app.ts'
import { passesOf, type Seeded, seedComparison } from './seed-comparison.ts'

export type Row = {
  itemId: string | null
  baselineTraceId: string | null
  candidateTraceId: string | null
  failed: string[]
  scores: { name: string; repetition: number; baseline: unknown; candidate: unknown; delta: number | null }[]
}

export function metricNamed(body: Record<string, unknown>, name: string): Record<string, unknown> {
  const metrics: unknown[] = Array.isArray(body.metrics) ? body.metrics : []
  const found = metrics.find((metric) => Object(metric).name === name)
  if (!found) throw new Error(`there is no metric ${name}`)
  return Object(found)
}

export async function compared({ client, at }: Seeded, parameters = ''): Promise<Record<string, unknown>> {
  const { status, text, body } = await client.get(at(parameters))
  if (status !== 200) throw new Error(text)
  return body
}

export function rowsOf(body: Record<string, unknown>): Row[] {
  return Array.isArray(body.data) ? body.data : []
}

/** Forty items, of which the first nine got worse and the next one better; all else is as it was. */
export function seedRegression(app: TestApp): Promise<Seeded> {
  return seedComparison(app, {
    items: 40,
    baseline: passesOf(40, (place) => ({ scores: { right: place === 9 ? 0 : 1 }, durationMs: 100 + place })),
    candidate: passesOf(40, (place) => ({ scores: { right: place < 9 ? 0 : 1 }, durationMs: 50 + place })),
    metrics: [{ name: 'right', kind: 'binary', scale: [0, 1], higherIsBetter: true }],
  })
}
