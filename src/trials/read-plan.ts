/** Reads the plan of a trial from a request: its variants, its items, and all that can be wrong before the first call. */
import { AppError, badRequest, conflict, notFound } from '../base/errors.ts'
import { NIL_ID } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import type { ModelAccess } from '../connections/model-access.ts'
import { findDataset } from '../datasets/dataset-queries.ts'
import type { Split } from '../datasets/splits/split.ts'
import { readItemIds } from '../datasets/splits/test-openings.ts'
import { assertMayJudge } from '../evaluations/assert-may-judge.ts'
import { type EvaluationConfig, readConfig } from '../evaluations/evaluation-config.ts'
import { compileEvaluators } from '../evaluations/runner/evaluate-case.ts'
import { readSize } from '../evaluations/start-evaluation.ts'
import { ConfigError } from '../evaluators/evaluator.ts'
import { compileOptionChecks } from '../evaluators/read-evaluators.ts'
import type { Context } from '../http/route.ts'
import { assertMaySpend } from '../spending/assert-spending.ts'
import { priceWith } from '../spending/budget.ts'
import type { ModelDeps } from '../spending/model-session.ts'
import { nanosOf } from '../spending/spending-limit.ts'
import { nextRandom, seededRandom } from '../statistics/random/seeded-random.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import { checkVariables, type Variables } from './item-variables.ts'
import { evaluationWithLooks, type LookPlan, planLooks, rejectBothRules } from './looks/plan-looks.ts'
import { type NewVariant, readVariants } from './read-variants.ts'
import type { StartTrial } from './start-trial-schemas.ts'
import { openEndpoint } from './targets/http-target.ts'
import { type OpenPrompt, openPrompt } from './targets/prompt-target.ts'
import { assertRecorded } from './targets/recorded-target.ts'

const CALLS_MAX = 100_000
const CONCURRENCY_DEFAULT = 8
/** A day: a provider that is overloaded must not keep a trial waiting forever. */
const MINUTES_DEFAULT = 1_440

/** What is stored of the request. */
export type Plan = {
  split: Split | null
  sample: { n: number; seed: number } | null
  variables: Variables
  /** The number of the variant that the others are compared with. */
  baseline: number
  repetitions: number
  concurrency: number
  maxMinutes: number
  evaluation: Record<string, unknown> | null
  /** Null if the trial looks at its results only at its end. */
  looks: LookPlan | null
  /** From so many openings of the test split on, the verdict is corrected for all of them. Absent: it is not. */
  correctedFrom?: number
  /** Of trials that an older server has started: by how many it is corrected. */
  openings?: number
  /** The metric that the variants are ranked by, if there is no gate with another one. */
  rankedBy?: string
}

export type PreparedTrial = {
  plan: Plan
  variants: NewVariant[]
  /** By the number of the variant. */
  prompts: Map<number, OpenPrompt>
  /** In the order of their calls. */
  itemIds: string[]
  maxNanoUsd: number | null
}

export type PlanDeps = Pick<ModelDeps, 'access' | 'pricer'>

/** Throws 400, 404 or 409 with the remedy. */
export async function readPlan(
  context: Pick<Context, 'db' | 'clock'>,
  deps: PlanDeps,
  { workspaceId }: Principal,
  { componentId, ...body }: StartTrial & { componentId: string },
): Promise<PreparedTrial> {
  const { db, clock } = context
  const { datasetId, repetitions = 1, variables = {}, maxCostUsd } = body
  const [dataset] = await findDataset(db.read, { workspaceId, componentId, datasetId })
  if (!dataset) throw notFound('Dataset')
  const variants = readVariants(body)
  const prompts = await openPrompts(context, deps.access, { workspaceId, componentId, variants })
  await checkEndpoints(context, deps.access, { workspaceId, variants })
  if (variants.some(({ target }) => target.type === 'recorded'))
    await assertRecorded(db.read, { workspaceId, datasetId })
  checkVariables(variables, new Set([...prompts.values()].flatMap(({ names }) => names)))
  const selection = {
    split: body.split ?? null,
    sample: body.sample ? { n: body.sample.n, seed: body.sample.seed ?? 0 } : null,
  }
  const baseline = baselineOf(variants, body.baseline)
  rejectBothRules(body)
  const chosen = await chooseItems(context, { workspaceId, datasetId, ...selection })
  const evaluation = evaluationWithLooks(body.evaluation ?? null, { ...body, items: chosen.length })
  const calls = chosen.length * variants.length * repetitions
  if (calls > CALLS_MAX)
    throw badRequest(
      `${chosen.length} items × ${variants.length} variants × ${repetitions} repetitions are ${calls.toLocaleString('en')} calls, and a trial has at most ${CALLS_MAX.toLocaleString('en')}; set "sample" to fewer items, or use fewer variants or repetitions`,
    )
  const models = [...new Set([...prompts.values()].map(({ model }) => model))]
  if (maxCostUsd !== undefined) await assertPriced(context, deps, { workspaceId, models })
  await assertMaySpend({ q: db.read, clock }, { workspaceId, listModels: async () => models, pricer: deps.pricer })
  const config = evaluation ? await checkEvaluation(context, deps, { workspaceId, evaluation }) : undefined
  const planning = { workspaceId, datasetId, itemIds: chosen, variants: variants.length, config }
  const { looks = null, itemIds = chosen } = (await planLooks(db.read, { ...body, ...planning })) ?? {}
  const plan: Plan = {
    ...selection,
    variables,
    baseline,
    repetitions,
    concurrency: body.concurrency ?? CONCURRENCY_DEFAULT,
    maxMinutes: body.maxMinutes ?? MINUTES_DEFAULT,
    evaluation,
    looks,
  }
  return { plan, variants, prompts, itemIds, maxNanoUsd: maxCostUsd === undefined ? null : nanosOf(maxCostUsd) }
}

async function openPrompts(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  access: ModelAccess,
  { variants, ...of }: { workspaceId: string; componentId: string; variants: readonly NewVariant[] },
): Promise<Map<number, OpenPrompt>> {
  const prompts = new Map<number, OpenPrompt>()
  for (const { number, name, target } of variants) {
    if (target.type !== 'prompt') continue
    const open = openPrompt(db.read, access, { ...of, target, now: clock.now() })
    prompts.set(number, await open.catch(naming(name)))
  }
  return prompts
}

/** Before the first call, not only when it is sent. */
async function checkEndpoints(
  { db }: Pick<Context, 'db'>,
  { secrets }: ModelAccess,
  { workspaceId, variants }: { workspaceId: string; variants: readonly NewVariant[] },
): Promise<void> {
  for (const { name, target } of variants)
    if (target.type === 'http') await openEndpoint(db.read, secrets, workspaceId, target).catch(naming(name))
}

function naming(variant: string) {
  return (error: unknown): never => {
    if (error instanceof AppError && error.status < 500) throw badRequest(`Variant ${variant}: ${error.message}`)
    throw error
  }
}

function baselineOf(variants: readonly NewVariant[], wanted: string | undefined): number {
  const found = wanted === undefined ? variants[0] : variants.find(({ name }) => name === wanted)
  if (found) return found.number
  const names = variants.map(({ name }) => name).join(', ')
  throw badRequest(`The field baseline must be the name of a variant; they are ${names.slice(0, 500)}`)
}

type Choosing = { workspaceId: string; datasetId: string } & Pick<Plan, 'split' | 'sample'>

/** A sample is drawn with its seed: the same items for the same seed, as long as the dataset is the same. */
async function chooseItems(
  { db }: Pick<Context, 'db'>,
  { workspaceId, datasetId, split, sample }: Choosing,
): Promise<string[]> {
  const all = [...(await readItemIds(db.read, { workspaceId, datasetId, ...(split !== null && { split }) }))]
  if (all.length === 0)
    throw badRequest(
      split === null
        ? 'The dataset has no items; add some first'
        : `The dataset has no items in the split ${split}; assign items to it, or leave "split" out`,
    )
  if (!sample) return all
  const random = seededRandom(`trial:${sample.seed}`)
  const n = Math.min(sample.n, all.length)
  for (let place = 0; place < n; place += 1) {
    const other = place + Math.floor(nextRandom(random) * (all.length - place))
    const [one = '', two = ''] = [all[place], all[other]]
    all[place] = two
    all[other] = one
  }
  return all.slice(0, n)
}

async function assertPriced(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { pricer }: PlanDeps,
  { workspaceId, models }: { workspaceId: string; models: readonly string[] },
): Promise<void> {
  const priceOf = priceWith(pricer, await listAllPrices(db.read, workspaceId), clock.now())
  const unpriced = models.find((model) => priceOf(model, { inputTokens: 1, outputTokens: 1 }) === null)
  if (unpriced === undefined) return
  throw conflict(
    `No price is configured for ${unpriced}, so maxCostUsd cannot be enforced; add one under Settings, Prices (/prices), or leave maxCostUsd out`,
  )
}

async function checkEvaluation(
  context: Pick<Context, 'db' | 'clock'>,
  deps: PlanDeps,
  { workspaceId, evaluation }: { workspaceId: string; evaluation: Record<string, unknown> },
): Promise<EvaluationConfig> {
  if (evaluation.baselineRunId !== undefined)
    throw badRequest('The field evaluation.baselineRunId is set by the trial, to the run of its baseline; leave it out')
  await compileOptionChecks()
  // As the candidates are evaluated: a gate needs a baseline.
  const config = readSize({ ...evaluation, baselineRunId: NIL_ID })
  let read: EvaluationConfig
  try {
    read = readConfig(config)
    await compileEvaluators({ workspaceId, config: read, use: 'dry run' })
  } catch (error) {
    throw error instanceof ConfigError
      ? badRequest(error.message.replace(/^config\./, 'The field evaluation.').replaceAll('config.', 'evaluation.'))
      : error
  }
  await assertMayJudge(context, deps, { workspaceId, config })
  return read
}
