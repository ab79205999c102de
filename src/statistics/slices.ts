/**
 * A computation that yields every few milliseconds, so that the caller can run other work in between. On a server use
 * `runInSlices` of `src/base`.
 */
export type Slices<Result> = Generator<void, Result, void>

/** Runs all slices without pausing. */
export function runSlices<Result>(slices: Slices<Result>): Result {
  let slice = slices.next()
  while (!slice.done) slice = slices.next()
  return slice.value
}
