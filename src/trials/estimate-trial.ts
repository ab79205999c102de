/** What a trial would cost, need and show, before any money is spent. */

import type { Clock } from '../base/clock.ts'
import { AppError } from '../base/errors.ts'
import { pauseAfter } from '../base/event-loop.ts'
import { NIL_ID } from '../base/ids.ts'
import { itemsFor } from '../comparisons/verdicts/gate-items.ts'
import type { ModelAccess } from '../connections/model-access.ts'
import { missingPaths } from '../endpoints/body-template.ts'
import { estimateJudges } from '../evaluations/estimate-evaluation.ts'
import { MAX_TOKENS_DEFAULT } from '../llm/chat.ts'
import { readInput } from '../playground/item-values.ts'
import { promptRequest } from '../prompts/calls/chat-request.ts'
import { expectedCost, type PriceOf, priceWith } from '../spending/budget.ts'
import { ASSUMED_SPREAD, detectableByItems, detectableByRepetitions } from '../statistics/repetitions.ts'
import type { DbOutsideTransaction } from '../storage/db.ts'
import { listAllPrices } from '../traces/pricing/price-queries.ts'
import type { Pricer } from '../traces/pricing/price-usage.ts'
import { findCallItems, findOutputLengths } from './calls/call-item-queries.ts'
import { listRecentDurations } from './calls/call-list-queries.ts'
import { missingNames, valuesOf } from './item-variables.ts'
import type { PreparedTrial } from './read-plan.ts'
import type { TrialEstimate } from './start-trial-schemas.ts'
import type { OpenPrompt } from './targets/prompt-target.ts'

const ITEMS_PER_READ = 100
/** How long items are rendered before requests get a turn. */
const SLICE_MS = 2
/** English prose has about four characters to a token. */
const CHARACTERS_PER_TOKEN = 4
const REPETITIONS_SHOWN = [1, 2, 3, 5, 10, 20]
const DURATIONS_MAX = 200
const EXAMPLE_LENGTH_MAX = 100
/** What an item lacks that was not created from a trace, if recorded answers are compared. */
const RECORDED_TRACE = 'a recorded trace'

type Estimating = {
  access: ModelAccess
  db: DbOutsideTransaction
  clock: Clock
  pricer: Pricer
  workspaceId: string
  componentId: string
  datasetId: string
  prepared: PreparedTrial
}

export async function estimateTrial(estimating: Estimating): Promise<TrialEstimate> {
  const { db, workspaceId, componentId, prepared } = estimating
  const { plan, variants, itemIds } = prepared
  const perRepetition = itemIds.length * variants.length
  const calls = perRepetition * plan.repetitions
  const read = await readItems(estimating)
  const once = read.unpriced.size > 0 ? null : sumOf([...read.costs.values()])
  const costOfAll = (repetitions: number) => once && multiply(once, repetitions)
  const ofServer = variants.filter(({ target: { type } }) => type === 'prompt' || type === 'http').length
  const sent = itemIds.length * ofServer * plan.repetitions
  const durations = await listRecentDurations(db.read, { workspaceId, componentId, limit: DURATIONS_MAX })
  const meanMs = durations.reduce((sum, ms) => sum + ms, 0) / durations.length
  const unlimited = sent === 0 || durations.length === 0 ? null : (sent * meanMs) / plan.concurrency / 60_000
  const minutes = unlimited && Math.max(unlimited, ...minutesOfLimits(prepared))
  const byRepetitions = detectable(prepared, REPETITIONS_SHOWN).map(({ repetitions, difference }) => ({
    repetitions,
    calls: perRepetition * repetitions,
    expectedUsd: costOfAll(repetitions)?.expectedUsd ?? null,
    detectableDifference: difference,
  }))
  const gate = gateOf(prepared)
  const cost = costOfAll(plan.repetitions)
  const estimate = {
    calls,
    cost: cost ?? NO_COST,
    unpricedModels: [...read.unpriced].sort(),
    judges: await judgesOf(estimating),
    minutes,
    callsPerMinute: minutes && sent / minutes,
    byItems: detectableAt(prepared),
    byRepetitions,
    gate,
    variants: variants.map(({ number, name, target }) => {
      const usd = target.type === 'prompt' && !read.unpricedVariants.has(number) ? read.costs.get(number) : undefined
      const expectedUsd = usd ? usd.expectedUsd * plan.repetitions : null
      return { name, calls: itemIds.length * plan.repetitions, expectedUsd }
    }),
    variables: [...read.examples].map(([name, example]) => ({ name, example })),
    missing: [...read.missing].map(([variable, items]) => ({ variable, items, of: itemIds.length })),
  }
  const [chosen] = detectable(prepared, [plan.repetitions])
  return { ...estimate, summary: summaryOf(estimate, chosen?.difference ?? null) }
}

/** Each variant is evaluated on its own. */
async function judgesOf({
  prepared: { plan, variants, itemIds },
  ...of
}: Estimating): Promise<TrialEstimate['judges']> {
  if (!plan.evaluation) return { calls: 0, expectedUsd: 0, unpricedModels: [] }
  // A gate needs a baseline, as when the runs are evaluated.
  const config = { ...(plan.split !== null && { split: plan.split }), ...plan.evaluation, baselineRunId: NIL_ID }
  const ofVariant = await estimateJudges(of, of, { ...of, config, cases: itemIds.length * plan.repetitions })
  if (!ofVariant) return null
  const { calls, expectedCostUsd, unpricedModels } = ofVariant
  const expectedUsd = expectedCostUsd === null ? null : expectedCostUsd * variants.length
  return { calls: calls * variants.length, expectedUsd, unpricedModels }
}

/** How long the calls of each connection need at its requests a minute. */
function minutesOfLimits({ plan, prompts, itemIds }: PreparedTrial): number[] {
  const byConnection = Map.groupBy(prompts.values(), ({ source }) => source.connection.name)
  return [...byConnection.values()].map((prompts) => {
    const perMinute = prompts[0]?.source.connection.requestsPerMinute ?? null
    return perMinute === null ? 0 : (prompts.length * itemIds.length * plan.repetitions) / perMinute
  })
}

const ITEMS_SHOWN = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000]
/** Beyond the chosen number, as far as a plan may grow without being another one. */
const TIMES_MORE_ITEMS = 5

function detectableAt({ plan, variants, itemIds }: PreparedTrial): TrialEstimate['byItems'] {
  const chosen = itemIds.length
  const others = ITEMS_SHOWN.filter((items) => items <= Math.max(100, TIMES_MORE_ITEMS * chosen))
  const items = [...new Set([...others, chosen])].sort((a, b) => a - b)
  const planned = { items, repetitions: plan.repetitions, ...familyOf(plan, variants.length) }
  return detectableByItems(ASSUMED_SPREAD, planned).map(({ items, difference }) => ({
    items,
    detectableDifference: difference,
  }))
}

type Cost = { minUsd: number; expectedUsd: number; maxUsd: number }
const NO_COST = { minUsd: null, expectedUsd: null, maxUsd: null }

function sumOf(costs: readonly Cost[]): Cost {
  const sum = { minUsd: 0, expectedUsd: 0, maxUsd: 0 }
  for (const cost of costs) addTo(sum, cost)
  return sum
}

function addTo(sum: Cost, { minUsd, expectedUsd, maxUsd }: Cost): void {
  sum.minUsd += minUsd
  sum.expectedUsd += expectedUsd
  sum.maxUsd += maxUsd
}

function multiply({ minUsd, expectedUsd, maxUsd }: Cost, times: number): Cost {
  return { minUsd: minUsd * times, expectedUsd: expectedUsd * times, maxUsd: maxUsd * times }
}

/** Renders each item for each prompt and each body: what it would cost once, and which variables have no value. */
async function readItems({ db, clock, pricer, workspaceId, datasetId, prepared }: Estimating) {
  const { prompts, itemIds, plan } = prepared
  const bodies = prepared.variants.flatMap(({ target }) => (target.type === 'http' ? [target.body] : []))
  const costs = new Map([...prompts.keys()].map((number) => [number, sumOf([])] as const))
  const unpriced = new Set<string>()
  const unpricedVariants = new Set<number>()
  const missing = new Map<string, number>()
  const examples = new Map<string, string>()
  const read = { costs, unpriced, unpricedVariants, missing, examples }
  const isRecorded = prepared.variants.some(({ target }) => target.type === 'recorded')
  if (prompts.size + bodies.length === 0 && !isRecorded) return read
  const priceOf = priceWith(pricer, await listAllPrices(db.read, workspaceId), clock.now())
  const bulk = db.bulk({ application: workspaceId, from: 'request' })
  const pause = pauseAfter(SLICE_MS)
  for (let from = 0; from < itemIds.length; from += ITEMS_PER_READ) {
    const items = await findCallItems(bulk, { workspaceId, datasetId }, itemIds.slice(from, from + ITEMS_PER_READ))
    const lengths = await findOutputLengths(bulk, { workspaceId, datasetId }, [...items.keys()])
    for (const [id, item] of items) {
      const absent = new Set<string>()
      for (const [number, prompt] of prompts) {
        const values = valuesOf(item, prompt.content.messages, plan.variables)
        const names = missingNames(prompt.content.messages, values)
        for (const name of names) absent.add(name)
        for (const [name, value] of Object.entries(values))
          if (!examples.has(name)) examples.set(name, exampleOf(value))
        // Such a call fails without a request.
        if (names.length === 0) {
          const length = lengths.get(id) ?? item.input?.length ?? 0
          const cost = costOf(prompt, { values, length, priceOf })
          if (cost === 'unpriced') {
            unpriced.add(prompt.model)
            unpricedVariants.add(number)
          } else if (cost) addTo(costs.get(number) ?? sumOf([]), cost)
        }
        await pause()
      }
      for (const body of bodies) {
        const input = item.input === null ? undefined : readInput(item.input)
        for (const path of missingPaths(body, input)) absent.add(path)
        await pause()
      }
      if (isRecorded && item.traceRef === null) absent.add(RECORDED_TRACE)
      for (const name of absent) missing.set(name, (missing.get(name) ?? 0) + 1)
    }
  }
  return read
}

function exampleOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > EXAMPLE_LENGTH_MAX ? `${text.slice(0, EXAMPLE_LENGTH_MAX)}…` : text
}

type Asking = {
  values: Record<string, unknown>
  /** Of the answer, as far as it can be guessed. */
  length: number
  priceOf: PriceOf
}

/** Undefined for an item that does not fit the prompt: its call fails without a request. */
function costOf(
  { content, source, model }: OpenPrompt,
  { values, length, priceOf }: Asking,
): Cost | 'unpriced' | undefined {
  try {
    const { request } = promptRequest(content, values, {
      kind: source.connection.kind,
      name: source.connection.name,
      model,
    })
    const promptCharacters = JSON.stringify([request.messages, request.tools ?? []]).length
    const most = request.parameters.maxTokens ?? MAX_TOKENS_DEFAULT
    // An answer is about as long as the one that the item has, or as its question.
    const known = Math.ceil(length / CHARACTERS_PER_TOKEN)
    const priceFor = (answerTokens: number) => expectedCost(priceOf, { model, promptCharacters, answerTokens })
    const [least, expected, greatest] = [priceFor(1), priceFor(Math.min(most, Math.max(1, known))), priceFor(most)]
    if (least === null || expected === null || greatest === null) return 'unpriced'
    return { minUsd: least, expectedUsd: expected, maxUsd: greatest }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return undefined
  }
}

/** Planned looks cost hardly more than one. */
function detectable({ plan, variants, itemIds }: PreparedTrial, repetitions: readonly number[]) {
  return detectableByRepetitions(ASSUMED_SPREAD, {
    items: itemIds.length,
    repetitions,
    ...familyOf(plan, variants.length),
  })
}

function familyOf({ looks }: PreparedTrial['plan'], variants: number) {
  return {
    candidates: Math.max(1, variants - 1),
    looks: looks?.rule === 'sequential' ? ('unplanned' as const) : ('one' as const),
  }
}

function gateOf({ plan, itemIds }: PreparedTrial): TrialEstimate['gate'] {
  const gate: { metric?: unknown; margin?: unknown } = Object(plan.evaluation?.gate)
  if (typeof gate.metric !== 'string') return null
  const margin = typeof gate.margin === 'number' ? gate.margin : null
  const standardDeviation = Math.sqrt(ASSUMED_SPREAD.between + ASSUMED_SPREAD.within / plan.repetitions)
  const itemsNeeded = itemsFor({ margin, standardDeviation, scale: [0, 1] })
  return { metric: gate.metric, margin, items: itemIds.length, itemsNeeded }
}

type Summarized = Omit<TrialEstimate, 'summary'>

function judgesSummary(judges: TrialEstimate['judges']): string {
  if (!judges || judges.calls === 0) return ''
  const { calls, expectedUsd, unpricedModels } = judges
  const price =
    expectedUsd === null
      ? `at an unknown cost (no price for ${unpricedModels.join(', ')})`
      : `for about $${expectedUsd.toPrecision(2)}`
  return ` Judges need about ${calls.toLocaleString('en')} calls of models ${price}.`
}

function summaryOf(
  { calls, cost, judges, unpricedModels, gate, missing }: Summarized,
  difference: number | null,
): string {
  const price =
    cost.expectedUsd === null
      ? ` at an unknown cost (no price for ${unpricedModels.join(', ')})`
      : cost.maxUsd === 0
        ? ''
        : ` for about $${cost.expectedUsd.toPrecision(2)}, at most $${(cost.maxUsd ?? 0).toPrecision(2)}`
  const seen =
    difference === null
      ? 'there are too few items to see any difference'
      : `differences of a rate of ${difference.toFixed(2)} or more are found in 80 of 100 such trials, if 18 of 100 pairs of answers differ`
  const needed =
    gate?.itemsNeeded != null && gate.itemsNeeded > gate.items
      ? ` The gate needs about ${gate.itemsNeeded.toLocaleString('en')} items, and there are ${gate.items.toLocaleString('en')}.`
      : ''
  const absent = missing.map((one) => ` ${one.variable} is missing in ${one.items} of ${one.of} items.`).join('')
  return `${calls.toLocaleString('en')} calls${price}; ${seen}.${judgesSummary(judges)}${needed}${absent}`
}
