import { defineConfig } from 'vitest/config'

const isCi = process.env.CI !== undefined

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // More than the two cores that we count on: many tests mostly wait for the processes that they started.
    maxWorkers: 5,
    // The program is loaded once per worker and not once per file, which would cost a quarter of all the time. No test changes a module.
    isolate: false,
    reporters: isCi ? ['default', 'json'] : ['default'],
    outputFile: { json: 'test-results.json' },
  },
})
