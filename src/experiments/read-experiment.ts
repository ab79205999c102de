/** Reads the plan of an experiment from a request, and all that can be wrong before the first call. */
import { badRequest, conflict, notFound } from '../base/errors.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import { countTestOpenings } from '../datasets/splits/split-queries.ts'
import { assertMayJudge } from '../evaluations/assert-may-judge.ts'
import { type EvaluationConfig, readConfig } from '../evaluations/evaluation-config.ts'
import { listItemTexts } from '../evaluations/runner/case-queries.ts'
import { compileEvaluators } from '../evaluations/runner/evaluate-case.ts'
import { modelSource } from '../evaluations/runner/model-session.ts'
import { readSize } from '../evaluations/start-evaluation.ts'
import { asksModel, type Case, ConfigError, type Evaluator, isExternal } from '../evaluators/evaluator.ts'
import { compileOptionChecks } from '../evaluators/read-evaluators.ts'
import type { PrepareContext } from '../http/route.ts'
import type { ReadNearDuplicates } from '../item-lists/find-near-duplicates.ts'
import { assertMaySpend } from '../spending/assert-spending.ts'
import type { ModelDeps } from '../spending/model-session.ts'
import { checkVariables, type Variables } from '../trials/item-variables.ts'
import { openPrompt, readPromptTarget } from '../trials/targets/prompt-target.ts'
import { canDemonstrate } from './compose/add-demonstrations.ts'
import { describeSimilar } from './describe-similar.ts'
import { type DrawnSplits, drawSplits } from './draw-splits.ts'
import { describeEstimate, estimateExperiment } from './estimate-experiment.ts'
import {
  type ExperimentPlan,
  evaluationOf,
  type Objective,
  OPTIMIZED_PARTS,
  type OptimizedPart,
  TEST_ITEMS_MIN,
} from './experiment-plan.ts'
import { at, CHARACTERS_PER_TOKEN, textsOf, tokensOf } from './guards/check-proposal.ts'
import { judgeWarnings } from './judge-warnings.ts'
import { openReflection } from './runner/open-reflection.ts'
import { OPTIMIZERS } from './search/search.ts'
import type { ExperimentEstimate, NewExperiment } from './start-experiment-schemas.ts'

const SPLITS_DEFAULT = { train: 0.4, validation: 0.3, test: 0.3 }
const BUDGET_DEFAULT = { maxCalls: 5_000, maxMinutes: 120, patience: 10 }
const SEARCH_DEFAULT = { parents: 2, proposals: 1, sample: 8 }
const MARGIN_DEFAULT = 0.03
const PROMPT_TOKENS_ADDED = 500
const DEMONSTRATIONS_MAX = 8
const DEMONSTRATION_TOKENS_MAX = 50_000
const LABELS_MAX = 20
const LABEL_LENGTH_MAX = 50
const LABEL_ITEMS_MAX = 500
const PROPOSALS_MIN = 3

export type ExperimentDepsToRead = Pick<ModelDeps, 'access' | 'pricer'> & { readNearDuplicates: ReadNearDuplicates }

export type PreparedExperiment = { plan: ExperimentPlan; splits: DrawnSplits; estimate: ExperimentEstimate }

type Request = NewExperiment & { workspaceId: string; componentId: string }

/** Throws 400, 404 or 409 with the remedy. */
export async function readExperiment(
  context: Omit<PrepareContext, 'newId' | 'requestId' | 'address'>,
  deps: ExperimentDepsToRead,
  body: Request,
): Promise<PreparedExperiment> {
  const { db, clock } = context
  const { workspaceId, componentId, datasetId } = body
  const [dataset] = await findDataset(db.read, { workspaceId, componentId, datasetId })
  if (!dataset) throw notFound('Dataset')
  const optimizer = readOptimizer(body.optimizer)
  const target = readPromptTarget({ type: 'prompt', ...body.prompt, ...body.target }, 'target')
  const prompt = await openPrompt(db.read, deps.access, { workspaceId, componentId, target, now: clock.now() })
  const optimize = readParts(body.optimize, prompt.content.tools)
  if (optimizer !== 'gepa' && !canDemonstrate(prompt.content.messages))
    throw badRequest(
      `The optimizer ${optimizer} shows items with their answers, which needs a message of the user with a variable or a placeholder after the messages of the system; use gepa, or move the variables there`,
    )
  const variables = readVariables(body.variables ?? {})
  checkVariables(variables, new Set(prompt.names))
  const reflection = { provider: body.reflection?.provider ?? null, model: body.reflection?.model ?? null }
  const opened = await openReflection(db.read, deps.access, { workspaceId, reflection, prompt, now: clock.now() })
  const { evaluators, weights, objectives } = readObjectives(body)
  const budget = { ...BUDGET_DEFAULT, maxCostUsd: null, ...body.budget }
  const provider = body.provider ?? target.provider ?? prompt.content.provider
  const config = await checkEvaluators(context, deps, { workspaceId, evaluation: { evaluators, provider, budget } })
  checkMetrics(objectives, config)
  const shares = body.splits ?? SPLITS_DEFAULT
  const seed = body.splits?.seed ?? 0
  if (Math.abs(shares.train + shares.validation + shares.test - 1) > 1e-6)
    throw badRequest('The shares in splits must add up to 1')
  const scope = { workspaceId, componentId, datasetId }
  const splits = await drawSplits(context, deps.readNearDuplicates, { ...scope, shares, seed })
  const { allowTooFew = false } = body
  rejectTooFew(splits, allowTooFew)
  const frozen = body.frozen ?? []
  const missing = frozen.find((pointer) => at(prompt.content.messages, pointer) === undefined)
  if (missing !== undefined) throw badRequest(`The field frozen names ${missing}, which the version does not have`)
  const absent = (body.frozenTexts ?? []).find(
    (text) => !textsOf(prompt.content.messages).some((own) => own.includes(text)),
  )
  if (absent !== undefined) throw badRequest('The field frozenTexts has a text that the version does not contain')
  const tokens = tokensOf(prompt.content.messages, optimize.includes('toolDescriptions') ? prompt.content.tools : [])
  const search = { ...SEARCH_DEFAULT, ...body.search }
  const plan: ExperimentPlan = {
    optimizer,
    target,
    reflection,
    variables,
    evaluators,
    provider,
    weights,
    objectives,
    splits: { train: shares.train, validation: shares.validation, test: shares.test, seed },
    optimize,
    frozen,
    frozenTexts: body.frozenTexts ?? [],
    labels: await readLabels(context, scope, splits.items.train),
    maxPromptTokens:
      body.maxPromptTokens ??
      Math.max(2 * tokens, tokens + PROMPT_TOKENS_ADDED) +
        (optimizer === 'gepa' ? 0 : await demonstrationTokens(context, scope, splits.items.train)),
    budget,
    finalists: body.finalists ?? 1,
    repetitions: body.repetitions ?? 1,
    concurrency: body.concurrency ?? 8,
    search: { parents: search.parents, proposals: search.proposals, sampleSize: search.sample },
    allowTooFew,
    callsPerAnswer:
      1 + config.evaluators.filter(asksModel).reduce((sum, one) => sum + (one.estimate?.(WHOLE).length ?? 1), 0),
    expected: null,
    warnings: await judgeWarnings(db.read, { workspaceId, datasetId, evaluators: config.evaluators.filter(asksModel) }),
  }
  const models = [prompt.model, opened.model]
  await assertMaySpend({ q: db.read, clock }, { workspaceId, listModels: async () => models, pricer: deps.pricer })
  const priced = await estimateExperiment(context, deps.pricer, {
    scope,
    plan,
    prompt,
    config,
    reflection: opened,
    splits,
  })
  if (budget.maxCostUsd !== null) rejectUnpriced(priced.unpricedModels)
  const openings = await countTestOpenings(db.read, { workspaceId, datasetId })
  const similar = await describeSimilar(db.read, scope, splits)
  const estimate = { ...describeEstimate(plan, splits, { ...priced, openings }), ...similar }
  if (estimate.proposals < PROPOSALS_MIN)
    throw conflict(
      `The budget buys ${estimate.proposals} ${estimate.proposals === 1 ? 'proposal' : 'proposals'} after the validation of the start and the test, and an experiment needs at least ${PROPOSALS_MIN}; raise maxCostUsd or maxCalls, or use fewer items or repetitions`,
    )
  return { plan: { ...plan, expected: priced.expected }, splits, estimate }
}

const WHOLE: Case = { input: 'a', output: 'a', expected: 'a', baseline: 'a', ratings: [], trace: null }

function readOptimizer(given = 'gepa'): ExperimentPlan['optimizer'] {
  const found = OPTIMIZERS.find((one) => one === given)
  if (found) return found
  throw badRequest(`There is no optimizer ${JSON.stringify(given)}; use ${OPTIMIZERS.join(', ')}`)
}

/** Default: all that the version has. */
function readParts(given: Request['optimize'], tools: readonly unknown[]): OptimizedPart[] {
  const parts = given ?? OPTIMIZED_PARTS.filter((part) => part === 'messages' || tools.length > 0)
  if (parts.includes('toolDescriptions') && tools.length === 0)
    throw badRequest('The field optimize has toolDescriptions, and the version has no tools')
  return [...new Set(parts)]
}

function readVariables(given: Record<string, unknown>): Variables {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (typeof value === 'string') return [name, value]
      if (typeof value === 'object' && value !== null && Object.keys(value).join() === 'value')
        return [name, { value: Reflect.get(value, 'value') }]
      throw badRequest(`The field variables.${name.slice(0, 100)} must be a path or {"value": …}`)
    }),
  )
}

/** The evaluators that are improved come first, because the test shows the first one. */
function readObjectives({ evaluators: given, objectives: wanted }: Pick<Request, 'evaluators' | 'objectives'>) {
  const weightOf = new Map<string, number>()
  const evaluators = given.map(({ weight = 1, ...evaluator }, index) => {
    if (typeof weight !== 'number' || !(weight > 0) || weight > 1_000)
      throw badRequest(`The field evaluators[${index}].weight must be a number above 0, up to 1000`)
    weightOf.set(nameOf(evaluator), weight)
    return evaluator
  })
  const objectives = (wanted ?? evaluators.map((one) => ({ metric: nameOf(one), role: 'improve' as const }))).map(
    ({ metric, role, ...rest }): Objective => ({
      metric,
      role,
      margin: 'margin' in rest ? (rest.margin ?? MARGIN_DEFAULT) : MARGIN_DEFAULT,
    }),
  )
  const improved = objectives.filter(({ role }) => role === 'improve').map(({ metric }) => metric)
  if (improved.length === 0) throw badRequest('The field objectives needs at least one metric with the role improve')
  const unknown = objectives.find(
    ({ metric, role }) => !weightOf.has(metric) && !(metric === 'costUsd' && role === 'tieBreak'),
  )
  if (unknown)
    throw badRequest(
      `The field objectives names ${JSON.stringify(unknown.metric)}, which is no evaluator; use ${[...weightOf.keys()].join(', ')}, or costUsd with the role tieBreak`,
    )
  const sorted = evaluators.toSorted(
    (a, b) => Number(improved.includes(nameOf(b))) - Number(improved.includes(nameOf(a))),
  )
  const weights = Object.fromEntries(improved.map((metric) => [metric, weightOf.get(metric) ?? 1]))
  return { evaluators: sorted, weights, objectives }
}

function nameOf({ name, type }: Record<string, unknown>): string {
  return String(name ?? type)
}

async function checkEvaluators(
  { db, clock }: Pick<PrepareContext, 'db' | 'clock'>,
  deps: ExperimentDepsToRead,
  { workspaceId, evaluation }: { workspaceId: string; evaluation: Parameters<typeof evaluationOf>[0] },
): Promise<EvaluationConfig> {
  const text = readSize(evaluationOf(evaluation))
  await compileOptionChecks()
  try {
    const config = readConfig(text)
    const unfit = config.evaluators.find((one) => isExternal(one) || one.needs.some((need) => !READABLE.includes(need)))
    if (unfit)
      throw badRequest(
        `The evaluator ${unfit.name} reads more than the texts of an item and its answer, and the answers of an experiment have nothing else; leave it out`,
      )
    await compileEvaluators({ workspaceId, config, use: 'dry run' })
    if (config.evaluators.some(asksModel)) await modelSource(deps.access, db, { workspaceId, config, now: clock.now() })
    await assertMayJudge({ db, clock }, deps, { workspaceId, config: text })
    return config
  } catch (error) {
    throw error instanceof ConfigError ? badRequest(error.message.replaceAll('config.', '')) : error
  }
}

const READABLE: readonly string[] = ['output', 'expected', 'model']

function checkMetrics(objectives: readonly Objective[], { evaluators }: EvaluationConfig): void {
  const hasScale = ({ kind, scale }: Evaluator) => scale !== null || kind === 'binary'
  const names = new Set(evaluators.filter(hasScale).map(({ name }) => name))
  const unfit = objectives.find(({ metric, role }) => role !== 'tieBreak' && !names.has(metric))
  if (unfit)
    throw badRequest(`The evaluator ${unfit.metric} has scores without a highest one, so it cannot be an objective`)
}

function rejectTooFew({ items }: DrawnSplits, allowTooFew: boolean): void {
  const { train, validation, test } = items
  if (train.length === 0 || validation.length === 0 || test.length === 0)
    throw conflict(
      `An experiment needs items in all three splits, and the dataset has ${train.length} in train, ${validation.length} in validation and ${test.length} in test; add items, or change their splits`,
    )
  if (test.length >= TEST_ITEMS_MIN || allowTooFew) return
  throw conflict(
    `The test split has ${test.length} items, and a verdict needs at least ${TEST_ITEMS_MIN}; add items, or send "allowTooFew": true for an experiment without a verdict`,
  )
}

function rejectUnpriced(models: readonly string[]): void {
  if (models.length === 0) return
  throw conflict(
    `No price is configured for ${models.join(', ')}, so maxCostUsd cannot be enforced; add one under Settings, Prices (/prices), or leave maxCostUsd out`,
  )
}

/** Room for as many training items of mean length as the largest set shows. */
async function demonstrationTokens(
  { db }: Pick<PrepareContext, 'db'>,
  scope: { workspaceId: string; datasetId: string },
  train: readonly string[],
): Promise<number> {
  const items = await listItemTexts(db.read, { ...scope, runId: null }, train.slice(0, LABEL_ITEMS_MAX))
  const lengths = [...items.values()].map(
    ({ input, expected, output }) => `${input ?? ''}${output ?? expected ?? ''}`.length,
  )
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return Math.min(DEMONSTRATION_TOKENS_MAX, Math.ceil((DEMONSTRATIONS_MAX * mean) / CHARACTERS_PER_TOKEN))
}

/** The expected answers of the training items, if they are few: those of a classification. */
async function readLabels(
  { db }: Pick<PrepareContext, 'db'>,
  scope: { workspaceId: string; datasetId: string },
  train: readonly string[],
): Promise<string[]> {
  const items = await listItemTexts(db.read, { ...scope, runId: null }, train.slice(0, LABEL_ITEMS_MAX))
  const expected = [...items.values()].flatMap((item) => (item.expected === null ? [] : [item.expected]))
  const labels = new Set(expected)
  const isFew = labels.size >= 2 && labels.size <= LABELS_MAX && 2 * labels.size <= expected.length
  return isFew && [...labels].every(({ length }) => length <= LABEL_LENGTH_MAX) ? [...labels] : []
}
