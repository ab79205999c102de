import { type ProgressSample, secondsLeft } from './evaluation-progress.ts'

export interface TimeLeft {
  seconds: number
  /** In which 95 of 100 such ends are; undefined while too little has happened to know it. */
  range: [low: number, high: number] | undefined
}

const BLOCKS = 8
const CALLS_MIN = 4 * BLOCKS

/** Undefined until it can be estimated. */
export function timeLeft(samples: readonly ProgressSample[], total: number): TimeLeft | undefined {
  const seconds = secondsLeft(samples, total)
  return seconds === undefined ? undefined : { seconds, range: rangeOf(samples, total) }
}

/** What has finished is cut into parts of equal size: how much their durations differ says how much those to come will. */
function rangeOf(samples: readonly ProgressSample[], total: number): [number, number] | undefined {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last) return undefined
  const finished = last.finished - first.finished
  if (finished < CALLS_MIN) return undefined
  const times = Array.from({ length: BLOCKS + 1 }, (_, place) =>
    timeOf(samples, first.finished + (finished * place) / BLOCKS),
  )
  const durations = times.slice(1).map((time, place) => time - (times[place] ?? 0))
  const mean = (last.atMs - first.atMs) / BLOCKS
  const variance = durations.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (BLOCKS - 1)
  const blocksLeft = (BLOCKS * (total - last.finished)) / finished
  // Of those to come, and of the mean that is known only from those so far. Student's t with seven degrees of freedom.
  const halfWidth = 2.36 * Math.sqrt(variance * (blocksLeft + blocksLeft ** 2 / BLOCKS))
  const expected = blocksLeft * mean
  return [Math.max(0, expected - halfWidth) / 1_000, (expected + halfWidth) / 1_000]
}

/** When so many had finished, on the line between two samples. */
function timeOf(samples: readonly ProgressSample[], finished: number): number {
  const next = samples.findIndex((sample) => sample.finished >= finished)
  const after = samples[next] ?? samples.at(-1)
  const before = samples[next - 1] ?? after
  if (!after || !before) return 0
  const gained = after.finished - before.finished
  const share = gained === 0 ? 1 : (finished - before.finished) / gained
  return before.atMs + share * (after.atMs - before.atMs)
}
