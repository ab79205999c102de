/** Loaded before every test file: what is random is the same in every run. fast-check prints the seed of a property that fails. */
import fc from 'fast-check'
import { inject, onTestFailed } from 'vitest'
import { isSoak } from './stage.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    seed: number
  }
}

// The seed is fixed, so that more cases find nothing new from commit to commit: soak tests look for it.
fc.configureGlobal({ seed: inject('seed'), numRuns: isSoak ? 10_000 : 30 })

/** Random whole numbers for the test that is running. If it fails, the seed is printed. */
export function randomOfTest(): (below: number) => number {
  const seed = inject('seed')
  onTestFailed(() => console.log(`TEST_SEED=${seed}`))
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
