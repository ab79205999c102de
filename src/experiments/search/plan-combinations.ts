/**
 * MIPROv2: a choice of an instruction and a set of demonstrations. Models propose the instructions from answers of the start; the sets are
 * drawn. Each combination answers a part of the validation items, TPE chooses the next ones, and the best so far answers all of them.
 */
import { seededRandom } from '../../statistics/random/seeded-random.ts'
import { chooseByTpe, type Observation } from './choose-by-tpe.ts'
import { drawSample } from './draw-sample.ts'
import { drawSets, findPassed, keyOf } from './plan-demonstrations.ts'
import {
  bestValidated,
  type Candidate,
  type CandidateChange,
  isFailing,
  meanOf,
  NEW,
  nextNumber,
  nextRound,
  ROUNDING,
  type Search,
  type Step,
  validationMean,
} from './search.ts'

const INSTRUCTIONS = 6
/** Two sets of each size. */
const SET_ROUNDS = 2
/** So many combinations answer a part before the best of them answers all items. */
const COMBINATIONS_OF_PART = 5

export function planCombinations(search: Search): Step {
  const passed = findPassed(search, 0)
  if (!Array.isArray(passed)) return passed
  const instructions = search.candidates.filter(({ kind }) => kind === 'reflection')
  if (instructions.length === 0) {
    const added = planInstructions(search)
    if (added.length > 0) return { changes: [], added, calls: [] }
  }
  const combinations = search.candidates.filter(({ kind }) => kind === 'combination')
  const waiting = combinations.filter(({ step }) => step === 'screened')
  const validated = combinations.filter(({ state, fate }) => state === 'validated' || fate === 'worse')
  const best = mostGaining(search, waiting)
  const isDue = combinations.length >= COMBINATIONS_OF_PART * (validated.length + 1)
  if (isDue && best) return { changes: [{ number: best.number, step: 'validating' }], added: [], calls: [] }
  const over = whyOver(search, combinations)
  const added = over ? [] : chooseNext(search, { passed, instructions, combinations })
  if (added.length > 0) return { changes: [], added, calls: [] }
  if (best && isPromising(search, best))
    return { changes: [{ number: best.number, step: 'validating' }], added: [], calls: [] }
  if (waiting.length > 0) return { changes: waiting.map(outdone), added: [], calls: [] }
  return over ?? { end: 'nothingToImprove', reason: 'All combinations of instructions and demonstrations were tried' }
}

function whyOver(search: Search, combinations: readonly Candidate[]): Extract<Step, { end: unknown }> | undefined {
  const { patience } = search.settings
  const best = bestValidated(search)?.number ?? 0
  const since = combinations.filter(({ number }) => number > best).length
  if (since < patience) return undefined
  return { end: 'patience', reason: `The last ${since} combinations were not better (patience ${patience})` }
}

function outdone({ number }: Candidate): CandidateChange {
  const reason = 'Others were better on their part of the validation items'
  return { number, step: 'ended', fate: 'outdone', reason }
}

/** At the end only what may be better than the best is worth an answer to all items. */
function isPromising(search: Search, candidate: Candidate): boolean {
  const best = bestValidated(search)
  const known = best === undefined ? 0 : best.mean - (validationMean(search, 0) ?? 0)
  return (gainOf(search, candidate) ?? 0) > known + ROUNDING
}

/** About items that are answered already: others would change which demonstrations there are. */
function planInstructions(search: Search): Candidate[] {
  const { settings, valueFor } = search
  const items = settings.train.filter((item) => valueFor(0, item) !== undefined)
  if (!items.some((item) => isFailing(valueFor(0, item)))) return []
  const [round, first] = [nextRound(search), nextNumber(search)]
  return Array.from({ length: INSTRUCTIONS }, (_, place): Candidate => {
    const number = first + place
    const sample = drawSample(search, { parent: 0, number, items })
    return { ...NEW, number, kind: 'reflection', parent: 0, round, sample, step: 'sampling' }
  })
}

/** The part of the validation items that a combination answers first: another one for each, so that none decides alone. */
export function partOf({ settings }: Search, { number }: Pick<Candidate, 'number'>): string[] {
  const { validation, sampleSize } = settings
  const from = (number * sampleSize) % validation.length
  return [...validation.slice(from), ...validation.slice(0, from)].slice(0, sampleSize)
}

/** The mean difference from the start, on the items that it has answered. */
function gainOf({ settings, valueFor }: Search, { number }: Candidate): number | undefined {
  return meanOf(
    settings.validation.map((item) => {
      const [before, after] = [valueFor(0, item), valueFor(number, item)]
      return typeof before === 'number' && typeof after === 'number' ? after - before : null
    }),
  )
}

function mostGaining(search: Search, waiting: readonly Candidate[]): Candidate | undefined {
  let best: { candidate: Candidate; gain: number } | undefined
  for (const candidate of waiting) {
    const gain = gainOf(search, candidate) ?? 0
    if (gain > (best?.gain ?? 0) + ROUNDING) best = { candidate, gain }
  }
  return best?.candidate
}

type Known = {
  passed: readonly string[]
  instructions: readonly Candidate[]
  combinations: readonly Candidate[]
}

/** A round of combinations that were not tried before. */
function chooseNext(search: Search, { passed, instructions, combinations }: Known): Candidate[] {
  const { seed, parents, proposals } = search.settings
  const prompts = [0, ...instructions.filter(({ hash }) => hash !== null).map(({ number }) => number)]
  const sets: string[][] = [[]]
  for (let round = 0; round < SET_ROUNDS; round += 1)
    sets.push(...drawSets(passed, { seed: `experiment:${seed}:sets:${round}`, known: new Set(sets.map(keyOf)) }))
  const keys = sets.map(keyOf)
  const choiceOf = ({ parent, demonstrations }: Candidate) => [
    prompts.indexOf(parent ?? 0),
    keys.indexOf(keyOf(demonstrations)),
  ]
  const observed: Observation[] = [
    { choice: [0, 0], score: 0 },
    ...combinations.flatMap((one) => {
      const gain = gainOf(search, one)
      return gain === undefined ? [] : [{ choice: choiceOf(one), score: gain }]
    }),
  ]
  const tried = new Set(['0 0', ...combinations.map((one) => choiceOf(one).join(' '))])
  const [round, first] = [nextRound(search), nextNumber(search)]
  const random = seededRandom(`experiment:${seed}:round:${round}`)
  const added: Candidate[] = []
  while (added.length < parents * proposals) {
    const free = prompts
      .flatMap((_, prompt) => sets.map((_set, place) => [prompt, place]))
      .filter((choice) => !tried.has(choice.join(' ')))
    const choice = chooseByTpe(random, observed, { sizes: [prompts.length, sets.length], free })
    if (choice === undefined) break
    tried.add(choice.join(' '))
    const [prompt = 0, place = 0] = choice
    const number = first + added.length
    const [parent = 0, demonstrations = []] = [prompts[prompt], sets[place]]
    added.push({ ...NEW, number, kind: 'combination', parent, round, demonstrations, step: 'composing' })
  }
  return added
}
