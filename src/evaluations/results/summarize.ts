import { type Comparison, compareRuns } from '../../comparisons/compare-runs.ts'
import { findComparedRun } from '../../comparisons/pairing/comparison-queries.ts'
import { decideGate } from '../../comparisons/verdicts/gate-verdict.ts'
import { readDuplicates, readItemGroups } from '../../datasets/items/item-groups.ts'
import { describeTestSet, type TestSet } from '../../datasets/splits/test-openings.ts'
import { asksModel, type Evaluator } from '../../evaluators/evaluator.ts'
import {
  countByState,
  countItemsWithoutCase,
  countUnpriced,
  type EvaluationScope,
  hasRepeatedItems,
  listReasons,
} from '../../scores/score-queries.ts'
import type { Queries, ReadTask } from '../../storage/db.ts'
import { type EvaluationConfig, readConfig, repetitionsOf } from '../evaluation-config.ts'
import { findEvaluation } from '../evaluation-queries.ts'
import { canAskAnchors, judgeKey } from '../runner/ask-anchors.ts'
import type { CaseSource } from '../runner/case-queries.ts'
import type { Injection } from '../runner/injection-check.ts'
import { type AnalysisResult, analyzeCases } from '../runner/read-case-traces.ts'
import { calibrate, listLabels } from './calibrate.ts'
import { type Drift, measureDrift } from './judge-drift.ts'
import { type Metric, measure } from './metric.ts'
import { readScoreColumns } from './score-columns.ts'

const REASONS_MAX = 3

type SummaryInput = {
  evaluationId: string
  source: CaseSource
  /** Whether items of the test split were scored. */
  readsTest: boolean
  /** The text of the config. */
  config: string
  /** Undefined if the traces have not been analyzed yet. */
  analysed: AnalysisResult | undefined
  /** The result of the injection check by judge; judges that were not checked are missing. */
  injections: ReadonlyMap<string, Injection>
  /** The time of the analysis in the results. */
  now: string
}
/** The results, or the error message if no case could be scored. */
export type Summary = { results: unknown; look: Look | undefined } | { error: string }

/** The comparison with the baseline counts as a look at it. */
type Look = Comparison['look']

/** Computes the results from all stored scores and traces. */
export const summarize: ReadTask<SummaryInput, Summary> = { name: 'summarize', run: computeResults }

async function computeResults(
  q: Queries,
  { evaluationId, source, readsTest, config: configText, analysed, injections, now }: SummaryInput,
  signal: AbortSignal,
): Promise<Summary> {
  const { workspaceId } = source
  const config = readConfig(configText)
  const of = { workspaceId, evaluationId }
  const counts = await countByState(q, of)
  const countOf = (evaluator: string, state: string) =>
    counts.find((row) => row.evaluator === evaluator && row.state === state)?.count ?? 0
  const metrics: Metric[] = []
  const groups = await readItemGroups(q, source)
  const [first] = config.evaluators
  const sameAs = await readDuplicates(q, source)
  // Without a run, each case is an item, which may repeat another one.
  const hasRepetitions = source.runId !== null && first !== undefined && (await hasRepeatedItems(q, of, first.name))
  const items = hasRepetitions || sameAs.size > 0
  let duplicates = 0
  const { datasetId, runId } = source
  const unanswered =
    runId === null || first === undefined
      ? 0
      : await countItemsWithoutCase(q, of, { datasetId, evaluator: first.name, split: config.split })
  for (const evaluator of config.evaluators) {
    const seed = `${evaluationId}:${evaluator.name}`
    const repeated = { cases: repetitionsOf(config, evaluator) > 1, items }
    const labels = await listLabels(q, { ...of, evaluator, sameAs })
    const verdicts = await readScoreColumns(q, {
      ...of,
      evaluator,
      repeated,
      labels: labels?.labels ?? [],
      sameAs,
      groupOf: groups?.groupOf,
    })
    duplicates = Math.max(duplicates, verdicts.duplicates)
    metrics.push({
      ...(await measure(evaluator, verdicts, seed)),
      missing: countOf(evaluator.name, 'skipped') + unanswered * repetitionsOf(config, evaluator),
      failed: countOf(evaluator.name, 'failed'),
      corrected: await calibrate({ evaluator, labels, verdicts, seed }),
      injection: injections.get(evaluator.name) ?? null,
      drift: await driftOf(q, { ...of, config, evaluator }),
    })
  }
  const { insights, meta } = analysed ?? (await analyzeCases(q, source, signal))
  const isAnalysed = config.isByDefault && meta.totalRuns > 0
  if (metrics.every(({ n }) => n === 0) && !isAnalysed) {
    return { error: await nothingScored(q, of) }
  }
  const evaluation = await findEvaluation(q, workspaceId, evaluationId)
  const testSet = readsTest ? await describeTestSet(q, source) : null
  const { look, ...compared } = await compare(q, { evaluationId, source, config, testSet }, metrics)
  const results = {
    insights,
    meta: { ...meta, analyzedAt: now },
    metrics,
    groupBy: groups?.groupBy ?? null,
    split: config.split ?? null,
    duplicates,
    testSet,
    cost: {
      calls: evaluation?.model_calls ?? 0,
      spentUsd: evaluation?.spent_usd ?? 0,
      unpricedScores: await countUnpriced(
        q,
        of,
        config.evaluators.filter(asksModel).map(({ name }) => name),
      ),
      maxUsd: config.maxCostUsd ?? null,
    },
    ...compared,
  }
  return { results, look }
}

async function driftOf(
  q: Queries,
  {
    workspaceId,
    evaluationId,
    config,
    evaluator,
  }: EvaluationScope & { config: EvaluationConfig; evaluator: Evaluator },
): Promise<Drift | null> {
  const { anchors: datasetId } = config
  if (datasetId === undefined || !canAskAnchors(evaluator)) return null
  return measureDrift(q, { workspaceId, datasetId, judge: judgeKey(config, evaluator.name) }, evaluationId)
}

type Comparing = {
  evaluationId: string
  source: CaseSource
  config: EvaluationConfig
  testSet: TestSet | null
}

type Compared = {
  look?: Look
  comparison?: Omit<Comparison, 'data' | 'dataset' | 'look'>
  gate?: ReturnType<typeof decideGate>
}

/**
 * Compares with the baseline run of the config, if any. The verdict is the same as that of a comparison of the two
 * runs.
 */
async function compare(
  q: Queries,
  { evaluationId, source, config, testSet }: Comparing,
  metrics: Metric[],
): Promise<Compared> {
  const { baselineRunId, gate } = config
  if (baselineRunId === undefined || source.runId === null || baselineRunId === source.runId) return {}
  const { workspaceId } = source
  if (!(await findComparedRun(q, { workspaceId, runId: baselineRunId }))) {
    // Deleted while the evaluation was running. The scores stay valid; only the gate reports that there is nothing to
    // compare.
    return gate ? { gate: { passed: false, summary: 'Cannot decide: the run to compare with has been deleted.' } } : {}
  }
  const {
    data: _,
    dataset: { coverage },
    look,
    ...compared
  } = await compareRuns(q, {
    workspaceId,
    baselineRunId,
    candidateRunId: source.runId,
    split: config.split,
    candidateEvaluationId: evaluationId,
    candidateEvaluators: metrics,
  })
  const comparison = { ...compared, testSet }
  const found = { look, comparison }
  if (!gate) return found
  const drift = metrics.find(({ name }) => name === gate.metric)?.drift
  // The difference of two judges is not a difference of the runs.
  if (drift?.hasDrifted) return { ...found, gate: { passed: false, summary: `Cannot decide: ${drift.summary}` } }
  return { ...found, gate: decideGate({ ...comparison, looks: look.looks, coverage }, gate) }
}

async function nothingScored(q: Queries, of: EvaluationScope): Promise<string> {
  const reasons = await listReasons(q, of, REASONS_MAX)
  if (reasons.length === 0) return 'Nothing could be scored: there are no cases'
  const lines = reasons.map(
    ({ reason, count }) => `${count} ${count === 1 ? 'score' : 'scores'}: ${reason ?? 'no reason given'}`,
  )
  return `Nothing could be scored (${lines.join('; ')})`
}
