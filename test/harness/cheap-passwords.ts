/** Hashing a password needs longer than most tests that sign a user in. The tests of hashing itself use the recommended cost. */
import { usePasswordCost } from '../../src/auth/accounts/passwords.ts'

export const CHEAP = { memory: 8, passes: 1, parallelism: 1 }

usePasswordCost(CHEAP)
