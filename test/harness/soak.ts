/** How much of a test that could go on for hours is run: enough for every commit, or with SOAK=1 (`npm run test:soak`) much more. */
export const isSoak = process.env['SOAK'] === '1'

/** How often: `rounds({ test: 3, soak: 200 })`. */
export function rounds({ test, soak }: { test: number; soak: number }): number {
  return isSoak ? soak : test
}

/** How many cases of a property: a hundred times as many in soak tests. */
export function runs(test: number): number {
  return rounds({ test, soak: 100 * test })
}
