/** What the search for a better prompt knows. It is pure data: the same data always leads to the same next step. */

export const OPTIMIZERS = ['gepa', 'bootstrapFewShot', 'miproV2', 'gepaThenFewShot'] as const

export type Optimizer = (typeof OPTIMIZERS)[number]

/**
 * How the prompt of a candidate came about: by a model that reflects on answers, by adding demonstrations, by a choice of an instruction and
 * demonstrations together, or by merging two prompts.
 */
export const KINDS = ['start', 'reflection', 'demonstrations', 'combination', 'merge'] as const

type Kind = (typeof KINDS)[number]

/** What is done next with a candidate. `composing`: its prompt follows from others, and is written without a model. */
export const STEPS = ['sampling', 'reflecting', 'composing', 'screening', 'screened', 'validating', 'ended'] as const

type CandidateStep = (typeof STEPS)[number]

type CandidateState = 'proposed' | 'rejected' | 'screened' | 'validated' | 'finalist'

/** Why a candidate was not validated. */
export const FATES = [
  'copied',
  'frozen',
  'tooLong',
  'unusable',
  'repeated',
  'nothingToImprove',
  'noGain',
  'outdone',
  'worse',
  'unfinished',
] as const

export type Fate = (typeof FATES)[number]

/** A prompt. Number 0 is the one that the experiment starts from. */
export type Candidate = {
  number: number
  kind: Kind
  parent: number | null
  /** Of a merge: the second of its parents. */
  otherParent: number | null
  round: number
  /** The training items that its proposal is about. */
  sample: readonly string[]
  /** The training items that its prompt shows with their answers. */
  demonstrations: readonly string[]
  step: CandidateStep
  state: CandidateState
  fate: Fate | null
  /** Identifies its messages; null until they are proposed. */
  hash: string | null
}

type SearchSettings = {
  optimizer: Optimizer
  seed: number
  train: readonly string[]
  /** In the order in which they are answered. */
  validation: readonly string[]
  /** How many candidates a round improves on, and how many proposals it makes for each. */
  parents: number
  proposals: number
  /** Training items that a proposal is about. */
  sampleSize: number
  /** The search ends after so many proposals in a row that are not better. */
  patience: number
  /** Calls of models for an answer with its scores. */
  callsPerAnswer: number
}

export type Proposed = { hash: string } | { fate: Fate; reason: string }

export type Search = {
  settings: SearchSettings
  candidates: readonly Candidate[]
  /** From 0 to 1; null if the answer could not be scored, undefined if it was not asked for. */
  valueFor(candidate: number, itemId: string): number | null | undefined
  /** What the reflection has proposed; undefined if it was not asked. */
  proposedFor(candidate: number): Proposed | undefined
  /** How many more calls may be planned. */
  callsLeft: number
  /** The share of the budget that is left, from 1 to 0. */
  shareLeft: number
}

export type NewCall = { kind: 'train' | 'validation' | 'reflection'; candidate: number; itemId: string | null }

export type CandidateChange = { number: number; reason?: string } & Partial<
  Pick<Candidate, 'step' | 'state' | 'fate' | 'hash'>
>

/** What a new candidate has if nothing else is said. */
export const NEW = {
  parent: null,
  otherParent: null,
  sample: [],
  demonstrations: [],
  state: 'proposed',
  fate: null,
  hash: null,
} as const

export type SearchEnd = 'nothingToImprove' | 'patience' | 'calls'

/** One transaction: changes of candidates, new ones, and the calls that are needed next. */
export type Wave = { changes: CandidateChange[]; added: Candidate[]; calls: NewCall[] }

/** `compose`: the prompts of these candidates follow from others, and must be written before the next step. */
export type Step = Wave | { end: SearchEnd; reason: string } | { compose: readonly number[] }

/** The mean of what could be scored; undefined if nothing could. */
export function meanOf(values: readonly (number | null | undefined)[]): number | undefined {
  const known = values.filter((value) => typeof value === 'number')
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
}

export function validationMean({ settings, valueFor }: Search, number: number): number | undefined {
  return meanOf(settings.validation.map((item) => valueFor(number, item)))
}

export function isValidated({ state }: Pick<Candidate, 'state'>): boolean {
  return state === 'validated' || state === 'finalist'
}

/** The first of those with the highest mean. */
export function bestValidated(search: Search): { number: number; mean: number } | undefined {
  let best: { number: number; mean: number } | undefined
  for (const { number } of search.candidates.filter(isValidated)) {
    const mean = validationMean(search, number)
    if (mean !== undefined && (best === undefined || mean > best.mean + ROUNDING)) best = { number, mean }
  }
  return best
}

/** Sums of the same values in another order may differ by this. */
export const ROUNDING = 1e-9

export function isFailing(value: number | null | undefined): boolean {
  return typeof value === 'number' && value < 1 - ROUNDING
}

export function nextNumber({ candidates }: Search): number {
  return Math.max(...candidates.map(({ number }) => number)) + 1
}

export function nextRound({ candidates }: Search): number {
  return 1 + Math.max(0, ...candidates.map(({ round }) => round))
}
