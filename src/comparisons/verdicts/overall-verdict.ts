import type { Verdict } from './verdict.ts'

export type JudgedMetric = {
  readonly name: string
  /** A reported metric, such as a duration, does not affect the overall verdict. */
  readonly role: 'quality' | 'reported'
  readonly verdict: Verdict
  readonly summary: string
}

/**
 * A single regression makes the overall verdict `regressed`, regardless of improvements. Reported metrics (durations,
 * costs, tokens) are not considered.
 */
export function overallVerdict(metrics: readonly JudgedMetric[]): { verdict: Verdict; summary: string } {
  const quality = metrics.filter(({ role }) => role === 'quality')
  const of = (word: Verdict) => quality.filter(({ verdict }) => verdict === word)
  const [worse, better, same, unknown] = [of('regressed'), of('improved'), of('noClearDifference'), of('tooFewCases')]
  if (worse.length > 0) return { verdict: 'regressed', summary: summarize(worse, better, 'better') }
  if (better.length > 0) return { verdict: 'improved', summary: summarize(better, same, 'no clear difference') }
  if (same.length > 0) return { verdict: 'noClearDifference', summary: summarizeUnclear(same, unknown) }
  return { verdict: 'tooFewCases', summary: summarizeTooFew(unknown) }
}

function summarize(deciding: readonly JudgedMetric[], others: readonly JudgedMetric[], word: string): string {
  const summary = deciding.map((metric) => metric.summary).join(' ')
  return others.length === 0 ? summary : `${summary} On ${namesOf(others)}: ${word}.`
}

function summarizeUnclear(same: readonly JudgedMetric[], unknown: readonly JudgedMetric[]): string {
  const [only] = same
  const summary = same.length === 1 && only ? only.summary : `No clear difference on ${namesOf(same)}.`
  return unknown.length === 0 ? summary : `${summary} Too few cases to decide on ${namesOf(unknown)}.`
}

function summarizeTooFew(unknown: readonly JudgedMetric[]): string {
  const [only] = unknown
  if (!only) return 'Too few cases to decide: no metric was measured in both runs.'
  return unknown.length === 1 ? only.summary : `Too few cases to decide on ${namesOf(unknown)}.`
}

const NAMES_MAX = 5

/** `helpful, rating and error` */
function namesOf(metrics: readonly { name: string }[]): string {
  const names = metrics.map(({ name }) => name)
  const shown = names.length > NAMES_MAX ? [...names.slice(0, NAMES_MAX), `${names.length - NAMES_MAX} more`] : names
  const last = shown.at(-1) ?? ''
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`
}
