export interface ProgressSample {
  atMs: number
  /** Scores with a final state. */
  finished: number
}

const FINISHED_MIN = 3
const ELAPSED_MS_MIN = 2_000

/** By the speed since the first sample; undefined while too little has happened to know it. */
export function secondsLeft(samples: readonly ProgressSample[], total: number): number | undefined {
  const [first] = samples
  const last = samples.at(-1)
  if (!first || !last) return undefined
  const finished = last.finished - first.finished
  const elapsedMs = last.atMs - first.atMs
  if (finished < FINISHED_MIN || elapsedMs < ELAPSED_MS_MIN) return undefined
  return ((total - last.finished) * elapsedMs) / finished / 1_000
}
