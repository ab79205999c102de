/**
 * The next step of a search, from what is known. A round draws candidates from the front (`plan-round.ts`). For each proposal:
 *
 * 1. `sampling`: its parent answers the training items of the sample, where it has not yet.
 * 2. `reflecting`: a model reads these answers and proposes other messages. The guards reject some of them.
 * 3. `screening`: the proposal answers the items that its parent failed, and if it gains there, also the others. Without a gain it ends.
 * 4. `screened`: the best proposals of the round go on.
 * 5. `validating`: it answers the validation items, in parts, and ends early when it is clearly worse than its parent.
 */

import { E_VALUE_MIN } from '../../statistics/sequential/e-values.ts'
import { unplannedLooks } from '../../statistics/sequential/unplanned-looks.ts'
import { isFailing, planRound } from './plan-round.ts'
import {
  bestValidated,
  type Candidate,
  type NewCall,
  ROUNDING,
  type Search,
  type SearchEnd,
  validationMean,
  type Wave,
} from './search.ts'

const VALIDATION_PARTS = 5
const PART_ITEMS_MIN = 5

export type Step = Wave | { end: SearchEnd; reason: string }

/** Must be called only when all calls have ended. A wave without calls is followed by another step. */
export function planStep(search: Search): Step {
  const wave: Wave = { changes: [], added: [], calls: [] }
  const open = search.candidates.filter(({ step }) => step !== 'ended')
  for (const candidate of open) advance(search, candidate, wave)
  if (wave.calls.length > 0) return withinCalls(search, wave)
  if (wave.changes.length > 0) return wave
  if (open.length > 0) return validateBest(search, open)
  const end = whyOver(search)
  if (end) return end
  const added = planRound(search)
  if (added.length > 0) return { changes: [], added, calls: [] }
  return { end: 'nothingToImprove', reason: 'The best prompts answer all training items as well as they can' }
}

function withinCalls({ callsLeft, settings }: Search, wave: Wave): Step {
  const needed = wave.calls.reduce((sum, { kind }) => sum + (kind === 'reflection' ? 1 : settings.callsPerAnswer), 0)
  if (needed <= callsLeft) return wave
  return { end: 'calls', reason: 'The limit of calls (maxCalls) leaves no room for the next step' }
}

function whyOver(search: Search): { end: SearchEnd; reason: string } | undefined {
  const best = bestValidated(search)
  if (best === undefined) return { end: 'nothingToImprove', reason: 'No answer to a validation item could be scored' }
  if (best.mean >= 1 - ROUNDING)
    return { end: 'nothingToImprove', reason: 'The best prompt answers all validation items as well as possible' }
  const since = search.candidates.filter(({ number }) => number > best.number).length
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
  const { number, sample: items } = candidate
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
  const answered = validation.findIndex((item) => search.valueFor(number, item) === undefined)
  if (answered === -1) {
    wave.changes.push({ number, step: 'ended', state: 'validated' })
    return
  }
  if (parent !== null && answered > 0 && isWorse(search, { number, parent, answered })) {
    const reason = `After ${answered} of ${validation.length} validation items it is worse than the prompt that it improves on`
    wave.changes.push({ number, step: 'ended', fate: 'worse', reason })
    return
  }
  // The start is never dropped.
  const part =
    parent === null ? validation.length : Math.max(PART_ITEMS_MIN, Math.ceil(validation.length / VALIDATION_PARTS))
  for (const itemId of validation.slice(answered, answered + part))
    wave.calls.push({ kind: 'validation', candidate: number, itemId })
}

type Validating = { number: number; parent: number; answered: number }

/** By evidence that holds for any number of looks, or because even a full score for the rest could not make up for it. */
function isWorse(search: Search, { number, parent, answered }: Validating): boolean {
  const { settings, valueFor } = search
  const losses = settings.validation.slice(0, answered).flatMap((item) => {
    const [before, after] = [valueFor(parent, item), valueFor(number, item)]
    return typeof before === 'number' && typeof after === 'number' ? [before - after] : []
  })
  if (unplannedLooks(Float64Array.from(losses)).rising(0) >= E_VALUE_MIN) return true
  const known = settings.validation.slice(0, answered).map((item) => valueFor(number, item) ?? 0)
  const most = known.reduce((sum, value) => sum + value, 0) + settings.validation.length - answered
  return most < (validationMean(search, parent) ?? 0) * settings.validation.length - ROUNDING
}
