import { isGoodRating, type RatingScheme } from '../annotations/rating-scheme.ts'
import { readRatingScheme } from '../annotations/rating-scheme-queries.ts'
import { timestamp } from '../base/clock.ts'
import { yieldToEventLoop } from '../base/event-loop.ts'
import { compareRuns } from '../comparisons/compare-runs.ts'
import { gateOf } from '../comparisons/gate-verdict.ts'
import type { JobRun } from '../jobs/job-handler.ts'
import { calibrate } from './calibrate.ts'
import { type CaseSource, listCases, listRatings } from './case-queries.ts'
import { findEvaluation } from './evaluation-queries.ts'
import { createAnalysis } from './insights/create-analysis.ts'
import { type Metric, measure } from './metric.ts'
import { analyseTraces } from './read-case-traces.ts'
import type { EvaluationConfig } from './read-config.ts'
import { readVerdicts } from './read-verdicts.ts'
import { countByState, listReasons } from './score-queries.ts'

const CASES_PER_PAGE = 200
const REASONS_TOLD = 3

type Summing = { evaluationId: string; source: CaseSource; config: EvaluationConfig }

/** Turns stored scores and traces into results. `problem` is a sentence if there is nothing to sum up. */
export async function summarize(job: JobRun, { evaluationId, source, config }: Summing) {
  const { db, workspaceId, clock } = job
  const of = { workspaceId, evaluationId }
  const counts = await countByState(db.read, of)
  const countOf = (evaluator: string, state: string) =>
    counts.find((row) => row.evaluator === evaluator && row.state === state)?.count ?? 0
  const metrics: Metric[] = []
  for (const evaluator of config.evaluators) {
    const seed = `${evaluationId}:${evaluator.name}`
    const verdicts = await readVerdicts(job, { evaluationId, evaluator })
    metrics.push({
      ...(await measure(evaluator, verdicts, seed)),
      missing: countOf(evaluator.name, 'skipped'),
      failed: countOf(evaluator.name, 'failed'),
      corrected: await calibrate(db.bulk, { ...of, evaluator, verdicts, seed }),
    })
  }
  const { insights, meta } = await analyse(job, source)
  const isAnalysed = config.isByDefault && meta.totalRuns > 0
  if (metrics.every(({ n }) => n === 0) && !isAnalysed) {
    return { problem: await nothingScored(job, evaluationId), results: undefined }
  }
  const evaluation = await findEvaluation(db.read, workspaceId, evaluationId)
  const results = {
    insights,
    meta: { ...meta, analyzedAt: timestamp(clock.now()) },
    metrics,
    cost: {
      calls: evaluation?.model_calls ?? 0,
      spentUsd: evaluation?.spent_usd ?? 0,
      maxUsd: config.maxCostUsd ?? null,
    },
    ...(await compare(job, { evaluationId, source, config }, metrics)),
  }
  return { problem: undefined, results }
}

async function analyse({ db, workspaceId, signal }: JobRun, source: CaseSource) {
  const analysis = createAnalysis()
  const scheme = await readRatingScheme(db.read, workspaceId)
  for (let after = ''; !signal.aborted; ) {
    const cases = await listCases(db.read, source, { after, limit: CASES_PER_PAGE })
    const last = cases.at(-1)
    if (!last) break
    after = last.ref
    const refs = cases.flatMap(({ traceRef }) => (traceRef === null ? [] : [traceRef]))
    const ratings = inPlainWords(scheme, await listRatings(db.read, source, refs))
    await analyseTraces(db.bulk, workspaceId, refs, analysis, ratings)
    await yieldToEventLoop()
  }
  return analysis.finish()
}

/** The analysis knows what is bad by one word, whichever words the application uses. */
function inPlainWords(scheme: RatingScheme, ratings: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const plain = (rating: string) => (isGoodRating(scheme, rating) === false ? 'negative' : rating)
  return new Map([...ratings].map(([ref, given]) => [ref, given.map(plain)]))
}

/** Against the run that the config names, if it names one: the same verdict as the comparison of the two runs gives. */
async function compare({ db, workspaceId }: JobRun, { evaluationId, source, config }: Summing, metrics: Metric[]) {
  const { baselineRunId, gate } = config
  if (baselineRunId === undefined || source.runId === null || baselineRunId === source.runId) return {}
  const { data: _, ...comparison } = await compareRuns(db.bulk, {
    workspaceId,
    baselineRunId,
    candidateRunId: source.runId,
    margin: gate?.margin,
    candidateEvaluationId: evaluationId,
    candidateEvaluators: metrics,
  })
  return { comparison, ...(gate ? { gate: gateOf(comparison, gate) } : {}) }
}

async function nothingScored({ db, workspaceId }: JobRun, evaluationId: string): Promise<string> {
  const reasons = await listReasons(db.read, { workspaceId, evaluationId }, REASONS_TOLD)
  if (reasons.length === 0) return 'Nothing could be scored: there are no cases'
  const told = reasons.map(
    ({ reason, count }) => `${count} ${count === 1 ? 'score' : 'scores'}: ${reason ?? 'no reason given'}`,
  )
  return `Nothing could be scored (${told.join('; ')})`
}
