/** Estimates the calls and the cost of an evaluation, and what its dataset can detect, before any money is spent. */
import { badRequest } from '../base/errors.ts'
import { pauseAfter } from '../base/event-loop.ts'
import { estimateGate, type GateEstimate } from '../comparisons/verdicts/estimate-gate.ts'
import { asksModel, type Case, ConfigError, type Evaluator, isExternal, type Need } from '../evaluators/evaluator.ts'
import { compileOptionChecks } from '../evaluators/read-evaluators.ts'
import type { Context } from '../http/route.ts'
import { CANARIES, CANARY_ANSWER } from '../llm/injection-canaries.ts'
import { defaultModelOf } from '../llm/model-client.ts'
import { readStoredConfig } from '../scores/stored-config.ts'
import { expectedCost, type PriceOf, priceWith } from '../spending/budget.ts'
import type { ModelDeps } from '../spending/model-session.ts'
import { casesNeededForRates, detectableRateDifference } from '../statistics/power.ts'
import { sumOf } from '../statistics/sums.ts'
import type { Queries } from '../storage/db.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import { type EvaluationConfig, readConfig, repetitionsByEvaluator } from './evaluation-config.ts'
import { ANCHORS_MAX, canAskAnchors, checkAnchors } from './runner/ask-anchors.ts'
import { type CaseSource, countSplitCases, firstSplitCases, listCases } from './runner/case-queries.ts'
import { compileEvaluators } from './runner/evaluate-case.ts'
import { canaryCase, canCheckInjection } from './runner/injection-check.ts'
import { loadCases, readBaseline } from './runner/load-cases.ts'
import { modelSource } from './runner/model-session.ts'
import { lockSource, readSize } from './start-evaluation.ts'

const SAMPLED_CASES = 100
/** How long prompts are estimated before requests get a turn. */
const SLICE_MS = 2

export type EstimateDeps = Pick<ModelDeps, 'access' | 'pricer'>

type EstimateRequest = {
  workspaceId: string
  componentId: string
  datasetId: string
  runId?: string | undefined
  config?: Record<string, unknown> | undefined
  /** Adds how many items the gate needs, for this reader. */
  gateFor?: { readerId: string } | undefined
}

/** Throws 400 with the error that would fail the evaluation, if its config is invalid. */
export async function estimateEvaluation(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { access, pricer }: EstimateDeps,
  requested: EstimateRequest,
) {
  const { workspaceId } = requested
  const configText = readSize(requested.config ?? {})
  const locked = await db.transaction((tx) => lockSource(tx, requested))
  try {
    await compileOptionChecks()
    const config = readConfig(configText)
    const source = { ...locked, split: config.split }
    await compileEvaluators({ workspaceId, config, use: 'dry run' })
    const cases = await countSplitCases(db.read, source)
    const priceOf = priceWith(pricer, await listAllPrices(db.read, workspaceId), clock.now())
    const bulk = db.bulk({ application: workspaceId, from: 'request' })
    const baselineRefs = await readBaseline({ read: db.read, bulk }, { config, source, hasBegun: false })
    const asked = { workspaceId, config, now: clock.now() }
    const models = config.evaluators.some(asksModel) ? (await modelSource(access, db, asked)).connection.models : []
    if (config.anchors !== undefined) await checkAnchors(db.read, workspaceId, config.anchors)
    const calls = await estimateCalls(bulk, { source, config, baselineRefs, cases, priceOf, models })
    const scores = repetitionsByEvaluator(config).reduce((sum, { repetitions }) => sum + repetitions, 0) * cases
    const detectable = cases === 0 ? null : (detectableRateDifference({ n: cases, rate: 0.5 }) ?? null)
    const estimate = { cases, scores, ...calls, detectableDifference: detectable }
    const summary = summaryOf({ cases, external: config.evaluators.filter(isExternal) }, calls, detectable)
    if (!requested.gateFor) return { ...estimate, summary }
    return { ...estimate, summary, gate: (await gateOf(bulk, { config, source, ...requested.gateFor })) ?? null }
  } catch (error) {
    throw error instanceof ConfigError ? badRequest(error.message) : error
  }
}

type GateOf = { config: EvaluationConfig; source: CaseSource; readerId: string }

async function gateOf(q: Queries, { config, source, readerId }: GateOf): Promise<GateEstimate | undefined> {
  const { gate, baselineRunId, split, evaluators } = config
  const { workspaceId, runId: candidateRunId } = source
  if (!gate || baselineRunId === undefined || candidateRunId === null) return undefined
  const evaluator = evaluators.find(({ name }) => name === gate.metric)
  const request = { workspaceId, baselineRunId, candidateRunId, split, gate, evaluator, readerId }
  return estimateGate(q, { ...request, plannedLooks: readStoredConfig(config.text).plan?.looks })
}

type Estimating = {
  source: CaseSource
  config: EvaluationConfig
  baselineRefs: ReadonlyMap<string, string>
  cases: number
  priceOf: PriceOf
  models: readonly string[]
  /** The case as it will be, where its answer does not exist yet. */
  withAnswer?: (input: Case) => Case
}
type EstimatedCall = ReturnType<NonNullable<Evaluator['estimate']>>[number]
type Calls = { calls: number; expectedCostUsd: number | null; unpricedModels: string[] }

type Judging = { workspaceId: string; datasetId: string; config: Record<string, unknown>; cases: number }

/** The calls of judges in an evaluation of so many answers to the items of a dataset, before there is a run. Null if no model can be asked. */
export async function estimateJudges(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { access, pricer }: EstimateDeps,
  { workspaceId, datasetId, config: given, cases }: Judging,
): Promise<Calls | null> {
  try {
    const config = readConfig(readSize(given))
    await compileEvaluators({ workspaceId, config, use: 'dry run' })
    const priceOf = priceWith(pricer, await listAllPrices(db.read, workspaceId), clock.now())
    const asked = { workspaceId, config, now: clock.now() }
    const models = config.evaluators.some(asksModel) ? (await modelSource(access, db, asked)).connection.models : []
    const bulk = db.bulk({ application: workspaceId, from: 'request' })
    const source = { workspaceId, datasetId, runId: null, split: config.split }
    return await estimateCalls(bulk, { source, config, baselineRefs: new Map(), cases, priceOf, models, withAnswer })
  } catch (error) {
    // The plan was checked before; without a connection its evaluation fails with that reason.
    if (error instanceof ConfigError) return null
    throw error
  }
}

/** An answer is about as long as the expected one, or as its question. */
function withAnswer(input: Case): Case {
  const answer = input.output ?? input.expected ?? input.input ?? ''
  return { ...input, output: answer, baseline: input.baseline ?? answer }
}

/** Extrapolates from a sample of the cases. Cached answers would cost nothing; the estimate does not look for them. */
async function estimateCalls(q: Queries, estimating: Estimating): Promise<Calls> {
  const { source, config, baselineRefs, cases, priceOf, models, withAnswer = (input) => input } = estimating
  const modelEvaluators = config.evaluators.filter(asksModel)
  if (modelEvaluators.length === 0 || cases === 0) return { calls: 0, expectedCostUsd: 0, unpricedModels: [] }
  const needs = new Set<Need>(modelEvaluators.flatMap((evaluator) => evaluator.needs))
  const keys = await firstSplitCases(q, source, SAMPLED_CASES)
  const questions: EstimatedCall[] = []
  // Each estimate reads all texts of its case.
  const pause = pauseAfter(SLICE_MS)
  for await (const cases of loadCases(q, { source, needs, baselineRefs }, keys)) {
    for (const input of cases.values()) {
      for (const { estimate } of modelEvaluators) {
        questions.push(...(estimate?.(withAnswer(input)) ?? []))
        await pause()
      }
    }
  }
  const times = (cases / keys.length) * config.repetitions
  const once = [...canaryQuestions(config), ...(await anchorQuestions(q, { source, config }))]
  const unpriced = new Set<string>()
  const costOf = ({
    purpose = 'completion',
    model = defaultModelOf(models, purpose) ?? '',
    ...question
  }: EstimatedCall) => {
    const cost = expectedCost(priceOf, { model, ...question })
    if (cost === null) unpriced.add(model)
    return cost ?? 0
  }
  const costUsd = sumOf(questions.map(costOf)) * times + sumOf(once.map(costOf))
  return {
    calls: Math.round(questions.length * times) + once.length,
    expectedCostUsd: unpriced.size > 0 ? null : costUsd,
    unpricedModels: [...unpriced].sort(),
  }
}

/** The injection check runs once, regardless of the number of cases. */
function canaryQuestions({ canaries, evaluators }: EvaluationConfig): EstimatedCall[] {
  if (!canaries) return []
  const texts = [CANARY_ANSWER, ...CANARIES.map(({ text }) => text)]
  const tried = evaluators.filter(canCheckInjection)
  return tried.flatMap(({ estimate }) => texts.flatMap((text) => estimate?.(canaryCase(text)) ?? []))
}

/** Anchors are asked once with every evaluation. */
async function anchorQuestions(
  q: Queries,
  { source: { workspaceId }, config }: Pick<Estimating, 'source' | 'config'>,
): Promise<EstimatedCall[]> {
  const { anchors: datasetId, evaluators } = config
  if (datasetId === undefined) return []
  const source = { workspaceId, datasetId, runId: null }
  const judges = evaluators.filter(canAskAnchors)
  const needs = new Set<Need>(judges.flatMap((evaluator) => evaluator.needs))
  const keys = await listCases(q, source, { after: '', limit: ANCHORS_MAX })
  const questions: EstimatedCall[] = []
  for await (const cases of loadCases(q, { source, needs, baselineRefs: new Map() }, keys)) {
    for (const input of cases.values()) questions.push(...judges.flatMap(({ estimate }) => estimate?.(input) ?? []))
  }
  return questions
}

function summaryOf(
  { cases, external }: { cases: number; external: readonly Evaluator[] },
  { calls, expectedCostUsd, unpricedModels }: Calls,
  detectable: number | null,
): string {
  const work = `${counted(cases, 'case')}, ${calls === 0 ? 'no call of a model' : `about ${counted(calls, 'call')} of models`}`
  const cost =
    expectedCostUsd === null
      ? `at an unknown cost (no price for ${unpricedModels.join(', ')})`
      : `for about $${expectedCostUsd.toPrecision(2)}`
  const power =
    detectable === null
      ? noPower(cases)
      : `; a rate must change by about ${(100 * detectable).toFixed(0)} points to be seen in so many cases`
  const names = external.map(({ name }) => name).join(', ')
  const awaited =
    external.length === 0 ? '' : `; ${counted(cases * external.length, 'external score')} of ${names} must be delivered`
  return `${work}${calls === 0 ? '' : ` ${cost}`}${awaited}${power}.`
}

/** Silence would look like sufficient power. */
function noPower(cases: number): string {
  if (cases === 0) return ''
  const needed = casesNeededForRates({ rate: 0.5, difference: 0.5 })
  return `; so few cases cannot show even a rate that rises from 50 % to 100 %, which needs about ${needed}`
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
}
