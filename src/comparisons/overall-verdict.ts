import type { VerdictWord } from './verdict.ts'

export type JudgedMetric = {
  readonly name: string
  /** What is reported, such as a duration, has a verdict of its own and none on the whole. */
  readonly role: 'quality' | 'reported'
  readonly verdict: VerdictWord
  readonly sentence: string
}

/**
 * One regression is enough, whatever else improved: a change that breaks something is not a better one. What is merely
 * reported (durations, costs, tokens) has no say.
 */
export function overallVerdict(metrics: readonly JudgedMetric[]): { verdict: VerdictWord; sentence: string } {
  const quality = metrics.filter(({ role }) => role === 'quality')
  const of = (word: VerdictWord) => quality.filter(({ verdict }) => verdict === word)
  const [worse, better, same, unknown] = [of('regressed'), of('improved'), of('noClearDifference'), of('tooFewCases')]
  if (worse.length > 0) return { verdict: 'regressed', sentence: told(worse, better, 'better') }
  if (better.length > 0) return { verdict: 'improved', sentence: told(better, same, 'no clear difference') }
  if (same.length > 0) return { verdict: 'noClearDifference', sentence: nothingClear(same, unknown) }
  return { verdict: 'tooFewCases', sentence: tooFew(unknown) }
}

function told(deciding: readonly JudgedMetric[], others: readonly JudgedMetric[], word: string): string {
  const sentence = deciding.map((metric) => metric.sentence).join(' ')
  return others.length === 0 ? sentence : `${sentence} On ${namesOf(others)}: ${word}.`
}

function nothingClear(same: readonly JudgedMetric[], unknown: readonly JudgedMetric[]): string {
  const [only] = same
  const sentence = same.length === 1 && only ? only.sentence : `No clear difference on ${namesOf(same)}.`
  return unknown.length === 0 ? sentence : `${sentence} Too few cases to tell about ${namesOf(unknown)}.`
}

function tooFew(unknown: readonly JudgedMetric[]): string {
  const [only] = unknown
  if (!only) return 'Too few cases to tell: nothing was measured in both runs.'
  return unknown.length === 1 ? only.sentence : `Too few cases to tell about ${namesOf(unknown)}.`
}

const NAMES_MAX = 5

/** `helpful, rating and error` */
function namesOf(metrics: readonly { name: string }[]): string {
  const names = metrics.map(({ name }) => name)
  const shown = names.length > NAMES_MAX ? [...names.slice(0, NAMES_MAX), `${names.length - NAMES_MAX} more`] : names
  const last = shown.at(-1) ?? ''
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}
