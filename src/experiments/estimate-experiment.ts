/** What an experiment would cost, need and show, before any money is spent. */
import { AppError } from '../base/errors.ts'
import type { EvaluationConfig } from '../evaluations/evaluation-config.ts'
import { listItemTexts } from '../evaluations/runner/case-queries.ts'
import { asksModel, type Case } from '../evaluators/evaluator.ts'
import type { PrepareContext } from '../http/route.ts'
import { defaultModelOf } from '../llm/model-client.ts'
import { promptRequest } from '../prompts/calls/chat-request.ts'
import { expectedCost, priceWith } from '../spending/budget.ts'
import { ASSUMED_SPREAD, detectableByRepetitions } from '../statistics/repetitions.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'
import { findCallItems } from '../trials/calls/call-item-queries.ts'
import { valuesOf } from '../trials/item-variables.ts'
import type { OpenPrompt } from '../trials/targets/prompt-target.ts'
import type { DrawnSplits } from './draw-splits.ts'
import { type ExperimentPlan, searchCalls, testAnswers } from './experiment-plan.ts'
import { textsOf, tokensOf } from './guards/check-proposal.ts'
import type { OpenReflection } from './runner/open-reflection.ts'
import type { ExperimentEstimate } from './start-experiment-schemas.ts'

const ITEMS_READ = 50
const CHARACTERS_PER_TOKEN = 4
/** Of the instructions of a reflection, and of its diagnosis. */
const REFLECTION_CHARACTERS = 2_000
const DIAGNOSIS_TOKENS = 300
/** As many proposals as pass the screening. */
const VALIDATED_SHARE = 0.5
const PROPOSALS_MAX = 10_000
const ITEMS_MAX = 1_000_000

type Estimating = {
  scope: { workspaceId: string; datasetId: string }
  plan: ExperimentPlan
  prompt: OpenPrompt
  config: EvaluationConfig
  reflection: OpenReflection
  splits: DrawnSplits
}

export type Priced = {
  expected: ExperimentPlan['expected']
  reflectionUsd: number
  unpricedModels: string[]
}

/** From the first training items: the mean cost of an answer with its scores, and of a reflection. */
export async function estimateExperiment(
  { db, clock }: Pick<PrepareContext, 'db' | 'clock'>,
  pricer: Pricer,
  { scope, plan, prompt, config, reflection, splits }: Estimating,
): Promise<Priced> {
  const priceOf = priceWith(pricer, await listAllPrices(db.read, scope.workspaceId), clock.now())
  const unpriced = new Set<string>()
  const costOf = (model: string, promptCharacters: number, answerTokens: number) => {
    const cost = expectedCost(priceOf, { model, promptCharacters, answerTokens })
    if (cost === null) unpriced.add(model)
    return cost ?? 0
  }
  const ids = splits.items.train.slice(0, ITEMS_READ)
  const items = await findCallItems(db.read, scope, ids)
  const texts = await listItemTexts(db.read, { ...scope, runId: null }, ids)
  const { source, content, model } = prompt
  const target = { kind: source.connection.kind, name: source.connection.name, model }
  const sums = { task: 0, judges: 0, characters: 0, items: 0 }
  for (const [id, item] of items) {
    const { expected = null, output = null } = texts.get(id) ?? {}
    try {
      const { request } = promptRequest(content, valuesOf(item, content.messages, plan.variables), target)
      const answer = output ?? expected ?? item.input ?? ''
      const answerTokens = Math.max(1, Math.ceil(answer.length / CHARACTERS_PER_TOKEN))
      const promptCharacters = JSON.stringify(request.messages).length
      sums.task += costOf(model, promptCharacters, Math.min(answerTokens, request.parameters.maxTokens))
      const input: Case = { input: item.input, output: answer, expected, baseline: null, ratings: [], trace: null }
      for (const evaluator of config.evaluators.filter(asksModel))
        for (const asked of evaluator.estimate?.(input) ?? [])
          sums.judges += costOf(
            asked.model ?? defaultModelOf(source.connection.models, asked.purpose ?? 'completion') ?? model,
            asked.promptCharacters,
            asked.answerTokens,
          )
      sums.characters += (item.input ?? '').length + answer.length + (expected ?? '').length
      sums.items += 1
    } catch (error) {
      // An item that does not fit the prompt: its calls fail without a request.
      if (!(error instanceof AppError)) throw error
    }
  }
  const count = Math.max(1, sums.items)
  const promptLength = textsOf(content.messages).join('').length
  const reflectionUsd = costOf(
    reflection.model,
    REFLECTION_CHARACTERS + promptLength + (plan.search.sampleSize * sums.characters) / count,
    tokensOf(content.messages) + DIAGNOSIS_TOKENS,
  )
  const answerUsd = (sums.task + sums.judges) / count
  const isPriced = unpriced.size === 0
  const taskShare = answerUsd === 0 ? 1 : sums.task / (sums.task + sums.judges)
  return {
    expected: isPriced ? { answerUsd, taskShare } : null,
    reflectionUsd,
    unpricedModels: [...unpriced].sort(),
  }
}

/** The summary of a dry run. */
export function describeEstimate(
  plan: ExperimentPlan,
  { items, drawn }: DrawnSplits,
  { expected, reflectionUsd, unpricedModels, openings }: Priced & { openings: number },
): Omit<ExperimentEstimate, 'leaks' | 'together'> {
  const counts = { train: items.train.length, validation: items.validation.length, test: items.test.length }
  const { answersOfProposal, reflections, fixed } = shapeOf(plan, counts)
  const fixedAnswers = fixed + counts.validation + testAnswers(plan, counts.test)
  const callsOfProposal = reflections + answersOfProposal * plan.callsPerAnswer
  const byCalls = (searchCalls(plan, counts.test) - (fixed + counts.validation) * plan.callsPerAnswer) / callsOfProposal
  const { maxCostUsd } = plan.budget
  const proposalUsd = expected === null ? 0 : reflections * reflectionUsd + answersOfProposal * expected.answerUsd
  const left = maxCostUsd === null || expected === null ? null : maxCostUsd - fixedAnswers * expected.answerUsd
  const byCost = left === null ? Infinity : left < 0 ? 0 : proposalUsd === 0 ? Infinity : left / proposalUsd
  const proposals = Math.max(0, Math.min(PROPOSALS_MAX, Math.floor(Math.min(byCalls, byCost))))
  const calls = Math.ceil(fixedAnswers * plan.callsPerAnswer + proposals * callsOfProposal)
  const expectedCostUsd = expected === null ? null : fixedAnswers * expected.answerUsd + proposals * proposalUsd
  const seen = detectable(plan, counts.test)
  const testCostUsd = expected === null ? null : testAnswers(plan, counts.test) * expected.answerUsd
  const numbers = {
    proposals,
    calls,
    expectedCostUsd,
    testCostUsd,
    unpricedModels,
    detectableDifference: seen,
    openings,
  }
  const summary = summaryOf(plan, { ...numbers, testItems: counts.test })
  return { items: counts, drawn: drawn.length, ...numbers, warnings: plan.warnings, summary }
}

type Shape = { answersOfProposal: number; reflections: number; fixed: number }

/** How many answers and reflections a proposal needs, and how many answers are needed before the first one. */
function shapeOf(
  { optimizer, search }: ExperimentPlan,
  { train, validation }: { train: number; validation: number },
): Shape {
  const sample = Math.min(search.sampleSize, train)
  const fixed = Math.min(train, ANSWERS_FOR_DEMONSTRATIONS)
  switch (optimizer) {
    case 'bootstrapFewShot':
      return { answersOfProposal: validation, reflections: 0, fixed }
    case 'miproV2':
      return {
        answersOfProposal: Math.min(search.sampleSize, validation) + VALIDATED_OF_COMBINATIONS * validation,
        reflections: REFLECTIONS_OF_COMBINATIONS,
        fixed,
      }
    default:
      return {
        answersOfProposal: sample + VALIDATED_SHARE * validation,
        reflections: 1,
        fixed: optimizer === 'gepa' ? 0 : fixed,
      }
  }
}

/** Of 10 combinations: 2 are validated, and 6 instructions are written before. */
const VALIDATED_OF_COMBINATIONS = 0.2
const REFLECTIONS_OF_COMBINATIONS = 0.6
/** If half of them pass, for twice the largest set. */
const ANSWERS_FOR_DEMONSTRATIONS = 32

function detectable({ finalists, repetitions }: ExperimentPlan, items: number): number | null {
  const wanted = { items, candidates: finalists, looks: 'one' as const, repetitions: [repetitions] }
  return detectableByRepetitions(ASSUMED_SPREAD, wanted)[0]?.difference ?? null
}

const SHOWN_DIFFERENCE = 0.12
const OPENINGS_MANY = 3

function summaryOf(
  plan: ExperimentPlan,
  {
    proposals,
    expectedCostUsd,
    unpricedModels,
    detectableDifference: seen,
    openings,
    testItems,
  }: Pick<
    ExperimentEstimate,
    'proposals' | 'expectedCostUsd' | 'unpricedModels' | 'detectableDifference' | 'openings'
  > & {
    testItems: number
  },
): string {
  const cost =
    expectedCostUsd === null
      ? `at an unknown cost (no price for ${unpricedModels.join(', ')})`
      : `for about $${Number(expectedCostUsd.toPrecision(2))}`
  const test = `on ${testItems} test ${testItems === 1 ? 'item' : 'items'}`
  const found =
    seen === null
      ? `${test} no change of a rate can be found.`
      : `${test} a rate must change by about ${Math.round(100 * seen)} points to be found in 80 of 100 experiments.`
  const needed = itemsToSee(plan)
  const more =
    seen === null || seen > SHOWN_DIFFERENCE ? ` ${needed} would show ${Math.round(100 * SHOWN_DIFFERENCE)}.` : ''
  const used =
    openings >= OPENINGS_MANY
      ? ` The test split has decided ${openings} times before, so that its numbers become too good; add new test items.`
      : ''
  return `Up to about ${proposals} proposals ${cost}; ${found}${more}${used}`
}

/** By doubling and halving. */
function itemsToSee(plan: ExperimentPlan): number {
  const isSeen = (items: number) => (detectable(plan, items) ?? 2) <= SHOWN_DIFFERENCE
  let [low, high] = [1, 2]
  while (!isSeen(high) && high < ITEMS_MAX) [low, high] = [high, 2 * high]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isSeen(middle)) high = middle
    else low = middle
  }
  return high
}
