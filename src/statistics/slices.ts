/** A computation that yields every few milliseconds, so that the caller can run other work in between. */
export type Slices<Result> = Generator<void, Result, void>

/** Runs all slices without pausing. */
export function runSlices<Result>(slices: Slices<Result>): Result {
  let slice = slices.next()
  while (!slice.done) slice = slices.next()
  return slice.value
}

/** Awaits `pause` after every slice. */
export async function runSlicesWithPauses<Result>(pause: () => Promise<void>, slices: Slices<Result>): Promise<Result> {
  let slice = slices.next()
  while (!slice.done) {
    await pause()
    slice = slices.next()
  }
  return slice.value
}
