/** Work that stops after every few milliseconds, so that whoever runs it can let others have a turn. */
export type Slices<Result> = Generator<void, Result, void>

/** Does all of it in one go. */
export function runSlices<Result>(slices: Slices<Result>): Result {
  let slice = slices.next()
  while (!slice.done) slice = slices.next()
  return slice.value
}

/** Waits for `pause` after every slice. */
export async function runSlicesWithPauses<Result>(pause: () => Promise<void>, slices: Slices<Result>): Promise<Result> {
  let slice = slices.next()
  while (!slice.done) {
    await pause()
    slice = slices.next()
  }
  return slice.value
}
