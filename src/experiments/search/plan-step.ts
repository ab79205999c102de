/**
 * The next step of a search, from what is known. Each optimizer has its own rounds: `gepa` draws parents from the front, and merges two of it
 * (`plan-reflections.ts`); `bootstrapFewShot` draws sets of demonstrations (`plan-demonstrations.ts`), `miproV2` chooses an instruction and a
 * set together (`plan-combinations.ts`), and `gepaThenFewShot` is the first, then the second. For each proposal of a reflection:
 *
 * 1. `sampling`: its parent answers the training items of the sample, where it has not yet.
 * 2. `reflecting`: a model reads these answers and proposes other messages. The guards reject some of them.
 * 3. `screening`: the proposal answers the items that its parent failed, and if it gains there, also the others. Without a gain it ends.
 * 4. `screened`: the best proposals of the round go on.
 * 5. `validating`: it answers the validation items, in parts, and ends early when it is clearly worse than its parent.
 *
 * Demonstrations and merges begin at 5. `miproV2` ends a reflection after 2, and lets each combination answer a part of the validation items first.
 */

import { E_VALUE_MIN } from '../../statistics/sequential/e-values.ts'
import { unplannedLooks } from '../../statistics/sequential/unplanned-looks.ts'
import { partOf, planCombinations } from './plan-combinations.ts'
import { planDemonstrations } from './plan-demonstrations.ts'
import { planReflections } from './plan-reflections.ts'
import {
  bestValidated,
  type Candidate,
  isFailing,
  type NewCall,
  ROUNDING,
  type Search,
  type SearchEnd,
  type Step,
  validationMean,
  type Wave,
} from './search.ts'

const VALIDATION_PARTS = 5
const PART_ITEMS_MIN = 5

/** Of the budget, for demonstrations: a rewriting that goes on for too long leaves nothing for them. */
const DEMONSTRATIONS_SHARE = 1 / 3

/** Must be called only when all calls have ended. A wave without calls is followed by another step. */
export function planStep(search: Search): Step {
  const open = search.candidates.filter(({ step }) => step !== 'ended')
  const composing = open.filter(({ step }) => step === 'composing').map(({ number }) => number)
  if (composing.length > 0) return { compose: composing }
  const wave: Wave = { changes: [], added: [], calls: [] }
  for (const candidate of open) advance(search, candidate, wave)
  if (wave.calls.length > 0) return withinCalls(search, wave)
  if (wave.changes.length > 0) return wave
  const step = planNext(search, open)
  return 'calls' in step ? withinCalls(search, step) : step
}

/** Nothing is under way. */
function planNext(search: Search, open: readonly Candidate[]): Step {
  const { optimizer } = search.settings
  const perfect = whyPerfect(search)
  if (perfect) return perfect
  if (optimizer === 'miproV2') return planCombinations(search)
  if (open.length > 0) return validateBest(search, open)
  if (optimizer === 'bootstrapFewShot') return planDemonstrations(search, 0)
  const base = search.candidates.find(({ kind }) => kind === 'demonstrations')?.parent
  if (typeof base === 'number') return planDemonstrations(search, base)
  const step = planRewriting(search)
  if (optimizer === 'gepa' || !('end' in step)) return step
  return planDemonstrations(search, bestValidated(search)?.number ?? 0)
}

function planRewriting(search: Search): Step {
  const { optimizer } = search.settings
  const end = whyOver(search)
  if (end) return end
  if (optimizer === 'gepaThenFewShot' && search.shareLeft < DEMONSTRATIONS_SHARE)
    return { end: 'calls', reason: 'The rest of the budget is for demonstrations' }
  const added = planReflections(search)
  if (added.length > 0) return { changes: [], added, calls: [] }
  return { end: 'nothingToImprove', reason: 'The best prompts answer all training items as well as they can' }
}

function withinCalls({ callsLeft, settings }: Search, wave: Wave): Step {
  const needed = wave.calls.reduce((sum, { kind }) => sum + (kind === 'reflection' ? 1 : settings.callsPerAnswer), 0)
  if (needed <= callsLeft) return wave
  return { end: 'calls', reason: 'The limit of calls (maxCalls) leaves no room for the next step' }
}

type End = { end: SearchEnd; reason: string }

function whyPerfect(search: Search): End | undefined {
  const best = bestValidated(search)
  if (best === undefined) return { end: 'nothingToImprove', reason: 'No answer to a validation item could be scored' }
  if (best.mean >= 1 - ROUNDING)
    return { end: 'nothingToImprove', reason: 'The best prompt answers all validation items as well as possible' }
  return undefined
}

function whyOver(search: Search): End | undefined {
  const best = bestValidated(search)?.number ?? 0
  const since = search.candidates.filter(({ number }) => number > best).length
  const { patience } = search.settings
  if (since < patience) return undefined
  return { end: 'patience', reason: `The last ${since} proposals were not better (patience ${patience})` }
}

function advance(search: Search, candidate: Candidate, wave: Wave): void {
  const { step } = candidate
  if (step === 'sampling') sample(search, candidate, wave)
  if (step === 'reflecting') readProposal(search, candidate, wave)
  if (step === 'screening') screen(search, candidate, wave)
  if (step === 'validating') validate(search, candidate, wave)
}

function sample({ valueFor }: Search, { number, parent, sample: items }: Candidate, wave: Wave): void {
  const of = parent ?? 0
  const missing = items.filter((item) => valueFor(of, item) === undefined)
  // Two proposals of one parent may share items.
  const isPlanned = (item: string) => wave.calls.some((call) => call.candidate === of && call.itemId === item)
  for (const item of missing) if (!isPlanned(item)) wave.calls.push({ kind: 'train', candidate: of, itemId: item })
  if (missing.length > 0) return
  if (items.some((item) => isFailing(valueFor(of, item)))) {
    wave.changes.push({ number, step: 'reflecting' })
    wave.calls.push({ kind: 'reflection', candidate: number, itemId: null })
    return
  }
  const reason = 'The prompt that it improves on answers all items of the sample well'
  wave.changes.push({ number, step: 'ended', state: 'rejected', fate: 'nothingToImprove', reason })
}

function readProposal(search: Search, candidate: Candidate, wave: Wave): void {
  const { number } = candidate
  const proposed = search.proposedFor(number)
  if (proposed === undefined) {
    wave.calls.push({ kind: 'reflection', candidate: number, itemId: null })
    return
  }
  if ('fate' in proposed) {
    wave.changes.push({ number, step: 'ended', state: 'rejected', ...proposed })
    return
  }
  const { hash } = proposed
  const same = [...search.candidates, ...wave.changes].find((other) => other.hash === hash)
  if (same) {
    const reason = `The same prompt was proposed before, as number ${same.number}`
    wave.changes.push({ number, step: 'ended', state: 'rejected', fate: 'repeated', reason })
    return
  }
  if (search.settings.optimizer === 'miproV2') {
    const reason = 'An instruction, which combinations with demonstrations try'
    wave.changes.push({ number, step: 'ended', hash, reason })
    return
  }
  wave.changes.push({ number, step: 'screening', hash })
  wave.calls.push(...trainCalls(number, failedByParent(search, candidate)))
}

function failedByParent({ valueFor }: Search, { parent, sample: items }: Candidate): string[] {
  return items.filter((item) => isFailing(valueFor(parent ?? 0, item)))
}

function trainCalls(candidate: number, items: readonly string[]): NewCall[] {
  return items.map((itemId) => ({ kind: 'train', candidate, itemId }))
}

/** First the items that its parent failed: without a gain there, the others need not be paid for. */
function screen(search: Search, candidate: Candidate, wave: Wave): void {
  const { number, kind, sample: items } = candidate
  if (kind === 'combination') {
    const unanswered = partOf(search, candidate).filter((item) => search.valueFor(number, item) === undefined)
    for (const itemId of unanswered) wave.calls.push({ kind: 'validation', candidate: number, itemId })
    if (unanswered.length === 0) wave.changes.push({ number, step: 'screened', state: 'screened' })
    return
  }
  const failed = failedByParent(search, candidate)
  const missing = (wanted: readonly string[]) => wanted.filter((item) => search.valueFor(number, item) === undefined)
  const first = missing(failed)
  if (first.length > 0) {
    wave.calls.push(...trainCalls(number, first))
    return
  }
  const rest = missing(items)
  const gain = gainOf(search, candidate, rest.length > 0 ? failed : items)
  if (gain <= ROUNDING) {
    const reason = 'It is not better than the prompt that it improves on, on the items of the sample'
    wave.changes.push({ number, step: 'ended', state: 'rejected', fate: 'noGain', reason })
  } else if (rest.length > 0) wave.calls.push(...trainCalls(number, rest))
  else wave.changes.push({ number, step: 'screened', state: 'screened' })
}

/** Of the items that both could be scored on. */
function gainOf({ valueFor }: Search, { number, parent }: Candidate, items: readonly string[]): number {
  return items.reduce((sum, item) => {
    const [before, after] = [valueFor(parent ?? 0, item), valueFor(number, item)]
    return typeof before === 'number' && typeof after === 'number' ? sum + after - before : sum
  }, 0)
}

/** Of the proposals for one parent only the one with the greatest gain: validation is most of the cost of a search. */
function validateBest(search: Search, open: readonly Candidate[]): Step {
  const wave: Wave = { changes: [], added: [], calls: [] }
  for (const [, siblings] of Map.groupBy(open, ({ parent }) => parent)) {
    const gains = siblings.map((candidate) => gainOf(search, candidate, candidate.sample))
    const most = Math.max(...gains)
    const best = siblings[gains.indexOf(most)]
    for (const { number } of siblings) {
      const reason = `Proposal ${best?.number} of the same round gained more on its sample`
      if (number === best?.number) wave.changes.push({ number, step: 'validating' })
      else wave.changes.push({ number, step: 'ended', fate: 'outdone', reason })
    }
  }
  return wave
}

function validate(search: Search, candidate: Candidate, wave: Wave): void {
  const { number, parent } = candidate
  const { validation } = search.settings
  const open = validation.filter((item) => search.valueFor(number, item) === undefined)
  const answered = validation.length - open.length
  if (open.length === 0) {
    wave.changes.push({ number, step: 'ended', state: 'validated' })
    return
  }
  // Nothing is improved on demonstrations, so that only those that may be the best are of use.
  const isLeaf = candidate.kind === 'combination' || candidate.kind === 'demonstrations'
  const against = isLeaf ? (bestValidated(search)?.number ?? 0) : parent
  if (against !== null && answered > 0 && isWorse(search, { number, parent: against })) {
    const better = isLeaf ? 'the best one so far' : 'the prompt that it improves on'
    const reason = `After ${answered} of ${validation.length} validation items it is worse than ${better}`
    wave.changes.push({ number, step: 'ended', fate: 'worse', reason })
    return
  }
  // The start is never dropped.
  const part =
    parent === null ? validation.length : Math.max(PART_ITEMS_MIN, Math.ceil(validation.length / VALIDATION_PARTS))
  for (const itemId of open.slice(0, part)) wave.calls.push({ kind: 'validation', candidate: number, itemId })
}

/** By evidence that holds for any number of looks, or because even a full score for the rest could not make up for it. */
function isWorse(search: Search, { number, parent }: { number: number; parent: number }): boolean {
  const { settings, valueFor } = search
  const answered = settings.validation.filter((item) => valueFor(number, item) !== undefined)
  const losses = answered.flatMap((item) => {
    const [before, after] = [valueFor(parent, item), valueFor(number, item)]
    return typeof before === 'number' && typeof after === 'number' ? [before - after] : []
  })
  if (unplannedLooks(Float64Array.from(losses)).rising(0) >= E_VALUE_MIN) return true
  const known = answered.map((item) => valueFor(number, item) ?? 0)
  const most = known.reduce((sum, value) => sum + value, 0) + settings.validation.length - answered.length
  return most < (validationMean(search, parent) ?? 0) * settings.validation.length - ROUNDING
}
