/**
 * How much of a test that could go on for hours is run: in `npm test` enough for every commit, in `npm run test:deep` twice as
 * much, in `npm run test:soak` as much as a night allows. Which tests a stage runs is in package.json, by their tags.
 */
const stage = process.env['TEST_STAGE']
export const isSoak = stage === 'soak'
export const isDeep = stage === 'deep' || isSoak

/** How often: `rounds({ test: 1, deep: 3, soak: 200 })`. Without `deep`, both stages have the same number. */
export function rounds({ test, deep = test, soak }: { test: number; deep?: number; soak: number }): number {
  if (isSoak) return soak
  return isDeep ? deep : test
}

/** How many cases of a property: half of the given number in the deep stage. */
export function runs(cases: number): number {
  if (isSoak) return 100 * cases
  return Math.ceil(isDeep ? cases / 2 : cases / 4)
}
