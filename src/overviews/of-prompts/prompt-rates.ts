/** How good the traces were that used a prompt: the mean of a metric, with its interval, or why there is none. */
import { readRatingScheme } from '../../annotations/rating-rule-queries.ts'
import { estimateMean } from '../../comparisons/evidence/estimate-mean.ts'
import { RATING_METRIC } from '../../comparisons/pairing/compared-metrics.ts'
import { MARGIN_ITEMS_MIN } from '../../comparisons/verdicts/verdict.ts'
import { isBinaryScale } from '../../evaluators/evaluator.ts'
import { scoreOfRatings } from '../../evaluators/rating-scheme.ts'
import { DEFAULT_INFO, type EvaluatorInfo } from '../../scores/evaluator-info.ts'
import { meanOf } from '../../statistics/sums.ts'
import type { Queries } from '../../storage/db.ts'
import { readPrompts } from '../../traces/storing/trace-prompts.ts'
import { listEvaluationIds, listEvaluationsWithResults } from '../overview-queries.ts'
import type { PromptPeriod } from './prompt-period.ts'
import { listPromptRatings, listPromptScores, type TraceValue } from './prompt-score-queries.ts'

/** The metrics of so many evaluations can be chosen. */
const EVALUATIONS_READ = 20

type Asked = { workspaceId: string; componentId: string; period: PromptPeriod; metric: string }

type TraceScore = { names: readonly string[]; score: number }

export async function readPromptRates(q: Queries, asked: Asked) {
  const infos = await readMetrics(q, asked)
  const { info, scores } =
    asked.metric === RATING_METRIC
      ? await readRatings(q, asked)
      : {
          info: infos.get(asked.metric) ?? DEFAULT_INFO,
          scores: scoresOf(await listPromptScores(q, asked, asked.metric)),
        }
  return {
    metric: asked.metric,
    metrics: [RATING_METRIC, ...infos.keys()],
    scale: info.scale,
    higherIsBetter: info.higherIsBetter,
    /** Of the traces that used one of the prompts that pass. */
    rateOf: (isUsed: (name: string) => boolean, traces: number) =>
      rateOf(
        scores.filter(({ names }) => names.some(isUsed)).map(({ score }) => score),
        { info, metric: asked.metric, traces },
      ),
  }
}

/** What the newest evaluations of the component measured, as the newest describes it. */
async function readMetrics(q: Queries, { workspaceId, componentId }: Asked): Promise<Map<string, EvaluatorInfo>> {
  const newest = await listEvaluationIds(q, workspaceId, { componentId, status: 'completed', limit: EVALUATIONS_READ })
  const ids = newest.map(({ id }) => id)
  const infos = new Map<string, EvaluatorInfo>()
  for (const { metrics } of await listEvaluationsWithResults(q, workspaceId, ids)) {
    const measured: (EvaluatorInfo & { name: string })[] = JSON.parse(metrics ?? '[]')
    for (const { name, kind, scale, higherIsBetter } of measured)
      if (name !== RATING_METRIC && !infos.has(name)) infos.set(name, { kind, scale, higherIsBetter })
  }
  return infos
}

async function readRatings(q: Queries, asked: Asked): Promise<{ info: EvaluatorInfo; scores: TraceScore[] }> {
  const scheme = await readRatingScheme(q, asked.workspaceId)
  const words = scheme.ratings.map(({ score }) => score)
  const [low, high] = [Math.min(...words), Math.max(...words)]
  const byTrace = Map.groupBy(await listPromptRatings(q, asked), ({ traceDbId }) => traceDbId)
  const scores = [...byTrace.values()].flatMap((ratings) => {
    // A person may have rated a trace in a run, too.
    const byPerson = new Map(ratings.map(({ of, value }) => [of, String(value)]))
    const score = scoreOfRatings(scheme, [...byPerson.values()])
    return score === undefined ? [] : { names: namesOf(ratings), score }
  })
  return { info: { kind: null, scale: low < high ? [low, high] : null, higherIsBetter: true }, scores }
}

/** Of each trace the mean of the repetitions in its newest evaluation. Expects the newest first. */
function scoresOf(values: readonly TraceValue[]): TraceScore[] {
  const byTrace = Map.groupBy(values, ({ traceDbId }) => traceDbId)
  return [...byTrace.values()].flatMap((all) => {
    const score = meanOf(all.filter(({ of }) => of === all[0]?.of).map(({ value }) => Number(value)))
    return score === null ? [] : { names: namesOf(all), score }
  })
}

function namesOf([first]: readonly TraceValue[]): string[] {
  return readPrompts(first?.prompts ?? null).map(({ name }) => name)
}

async function rateOf(
  scores: readonly number[],
  { info, metric, traces }: { info: EvaluatorInfo; metric: string; traces: number },
) {
  const n = scores.length
  const none = { mean: null, ci: null, n }
  const isRating = metric === RATING_METRIC
  if (n === 0)
    return { ...none, summary: traces === 0 ? 'no traces' : isRating ? 'not rated' : `not scored on ${metric}` }
  if (info.kind === 'categorical') return { ...none, summary: 'labels have no mean' }
  if (n < MARGIN_ITEMS_MIN)
    return { ...none, summary: `too few: ${n} of ${MARGIN_ITEMS_MIN} ${isRating ? 'rated traces' : 'scores'}` }
  const options = { hasBinaryScale: isBinaryScale(info), scale: info.scale }
  const { mean, ci } = await estimateMean(Float64Array.from(scores), options)
  return { mean, ci, n, summary: null }
}
