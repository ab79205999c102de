import { defineConfig } from 'vitest/config'

const isCi = process.env.CI !== undefined

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Two cores: more workers only make each other wait.
    maxWorkers: 2,
    reporters: isCi ? ['default', 'json'] : ['default'],
    outputFile: { json: 'test-results.json' },
  },
})
