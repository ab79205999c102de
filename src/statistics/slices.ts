/**
 * A computation that yields every few milliseconds, so that the caller can run other work in between. On a server use
 * `runInSlices` of `src/base`.
 */
export type Slices<Result> = Generator<void, Result, void>
