import { runSlices, type Slices } from '../../src/statistics/slices.ts'

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
