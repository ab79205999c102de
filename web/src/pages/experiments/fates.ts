import type { ExperimentCourse } from '../../api/generated/api.ts'
import { countOf, formatCount, formatScore } from '../../ui/format-number.ts'

type Point = ExperimentCourse['data'][number]

export type FateGroup = 'start' | 'open' | 'front' | 'validated' | 'dropped' | 'lost' | 'rejected'

/** Where a proposal ended: each group has its own mark. */
export function fateGroup({
  number,
  fate,
}: Pick<Point, 'number' | 'fate'>): 'start' | 'alive' | 'dropped' | 'lost' | 'rejected' {
  if (number === 0) return 'start'
  switch (fate) {
    case null:
      return 'alive'
    case 'worse':
    case 'unfinished':
      return 'dropped'
    case 'noGain':
    case 'outdone':
      return 'lost'
    default:
      return 'rejected'
  }
}

export function groupOf(point: Point): FateGroup {
  const group = fateGroup(point)
  if (group !== 'alive') return group
  if (point.step !== 'ended') return 'open'
  return point.front === null ? 'validated' : 'front'
}

/** "24 proposals = 6 validated + 3 dropped early + …": the parts add up. */
export function groupCounts(points: readonly Point[]): string {
  const proposals = points.filter(({ number }) => number > 0)
  if (proposals.length === 0) return ''
  const count = (...groups: FateGroup[]) => proposals.filter((point) => groups.includes(groupOf(point))).length
  const parts = [
    { count: count('front', 'validated'), word: 'validated' },
    { count: count('dropped'), word: 'dropped early' },
    { count: count('lost'), word: 'lost on the sample' },
    { count: count('rejected'), word: 'rejected' },
    { count: count('open'), word: 'not ended' },
  ].filter((part) => part.count > 0)
  return `${countOf(proposals.length, 'proposal')} = ${parts.map((part) => `${formatCount(part.count)} ${part.word}`).join(' + ')}`
}

const fateWords: Record<NonNullable<Point['fate']>, string> = {
  copied: 'copied',
  frozen: 'changed a frozen part',
  tooLong: 'too long',
  unusable: 'no usable prompt',
  repeated: 'proposed before',
  nothingToImprove: 'nothing to improve',
  noGain: 'no gain',
  outdone: 'another gained more',
  worse: 'dropped',
  unfinished: 'not finished',
}

/** The reason of its end in a few words. */
export function fateText(point: Point): string {
  const { number, fate, mean, answered, sample, step, state } = point
  if (number === 0) return 'the start'
  if (fate === 'noGain' && sample)
    return `${sumText(sample.own)} of ${formatCount(sample.items)} against ${sumText(sample.parent)}`
  if (fate === 'worse' && mean !== null) return `dropped after ${formatCount(answered)}, ${formatScore(mean)}`
  if (fate !== null) return fateWords[fate]
  if (step !== 'ended') return stepWords[step]
  return state === 'finalist' ? 'finalist' : 'validated'
}

const stepWords: Record<Exclude<Point['step'], 'ended'>, string> = {
  sampling: 'waits for its items',
  reflecting: 'being written',
  composing: 'being put together',
  screening: 'being tried',
  screened: 'tried',
  validating: 'being validated',
}

export function sumText(sum: number): string {
  return Number.isInteger(sum) ? formatCount(sum) : sum.toFixed(1)
}

const kindWords: Partial<Record<Point['kind'], string>> = {
  demonstrations: 'shows other examples',
  combination: 'another instruction with other examples',
  merge: 'merges two prompts',
}

/** What a line of the tree says about it: the first sentence of its diagnosis, or why there is no prompt. */
export function pointTitle(point: Point): string {
  if (point.title !== null) return point.title
  if (point.step !== 'ended') return 'not proposed yet'
  return kindWords[point.kind] ?? point.reason ?? 'a proposal'
}
