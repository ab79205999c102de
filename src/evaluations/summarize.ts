import { timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import type { JobRun } from '../jobs/job-handler.ts'
import { bootstrapMeanInSlices, type Observation } from '../statistics/bootstrap-mean.ts'
import type { Evaluator } from './evaluators/evaluator.ts'
import { countUnscored, listScoreValues } from './score-queries.ts'

const VALUES_PER_PAGE = 1_000
const HISTOGRAM_BINS = 10

type Metric = {
  name: string
  kind: 'numeric'
  n: number
  missing: number
  failed: number
  mean: number | null
  ci: readonly [low: number, high: number] | null
  method: string
  distribution: number[]
  corrected: null
}

/**
 * Turns stored scores into numbers that carry their uncertainty. The interval's randomness is seeded by evaluation and metric, so
 * that reading twice, or running twice, gives the same interval. `problem` is a sentence if there is nothing to sum up.
 */
export async function summarize(
  job: JobRun,
  { evaluationId, evaluators }: { evaluationId: string; evaluators: Evaluator[] },
) {
  const { db, workspaceId, clock } = job
  const unscored = await countUnscored(db.read, workspaceId, evaluationId)
  const metrics: Metric[] = []
  for (const { name } of evaluators) {
    const values = await readValues(job, evaluationId, name)
    const summary = await bootstrapMeanInSlices(yieldToEventLoop, values, { seed: `${evaluationId}:${name}` })
    const missed = (state: string) =>
      unscored.filter((row) => row.evaluator === name && row.state === state).reduce((sum, { count }) => sum + count, 0)
    metrics.push({
      name,
      kind: 'numeric',
      n: values.length,
      missing: missed('skipped'),
      failed: missed('failed'),
      mean: summary?.mean ?? null,
      ci: summary?.interval ?? null,
      method: 'BCa bootstrap, 95 %, 5000 resamples (Efron 1987)',
      distribution: histogram(values),
      corrected: null,
    })
  }
  const scored = metrics.reduce((sum, { n }) => sum + n, 0)
  if (scored === 0) return { problem: nothingScored(unscored), results: undefined }
  const meta = {
    // No trace has been analysed: these evaluators read what people said, not what the traces hold.
    totalRuns: 0,
    totalTokens: 0,
    totalCostUsd: 0,
    averageDurationMs: 0,
    errorRate: 0,
    analyzedAt: timestamp(clock.now()),
  }
  return { problem: undefined, results: { insights: [], meta, metrics } }
}

async function readValues(
  { db, workspaceId }: JobRun,
  evaluationId: string,
  evaluator: string,
): Promise<Observation[]> {
  const values: Observation[] = []
  let after = ''
  for (;;) {
    const page = await listScoreValues(db.read, { workspaceId, evaluationId, evaluator, after, limit: VALUES_PER_PAGE })
    const last = page.at(-1)
    if (last === undefined) return values
    for (const { caseRef, score } of page) values.push({ value: score ?? 0, cluster: caseRef })
    after = last.caseRef
    await yieldToEventLoop()
  }
}

/** How many scores fall into each tenth of the scale from 0 to 1. */
function histogram(values: Observation[]): number[] {
  const bins = new Array<number>(HISTOGRAM_BINS).fill(0)
  for (const { value } of values) {
    const bin = Math.min(HISTOGRAM_BINS - 1, Math.floor(value * HISTOGRAM_BINS))
    bins[bin] = (bins[bin] ?? 0) + 1
  }
  return bins
}

function nothingScored(unscored: { reason: string | null; count: number }[]): string {
  if (unscored.length === 0) return 'Nothing could be scored: there are no cases'
  const reasons = unscored
    .slice(0, 3)
    .map(({ reason, count }) => `${count} ${count === 1 ? 'case' : 'cases'}: ${reason ?? 'no reason given'}`)
  return `Nothing could be scored (${reasons.join('; ')})`
}
