import type { Slices } from '../../src/statistics/slices.ts'

/** Runs all slices without pausing. */
export function runSlices<Result>(slices: Slices<Result>): Result {
  let slice = slices.next()
  while (!slice.done) slice = slices.next()
  return slice.value
}

/** The computation without pauses. */
export function inOneGo<Args extends unknown[], Result>(
  work: (...args: Args) => Slices<Result>,
): (...args: Args) => Result {
  return (...args) => runSlices(work(...args))
}

/** How often a computation lets other work run. */
export function countPauses(slices: Slices<unknown>): number {
  let pauses = 0
  while (!slices.next().done) pauses += 1
  return pauses
}
