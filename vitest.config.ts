import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Pure functions: no database and no server, so that a test of one starts at once. A file that is not listed runs with both engines. */
const UNIT = [
  'test/{bench,mapping,model-evaluators,models,statistics}/*.test.ts',
  'test/evaluations/!(evaluator-routes).test.ts',
  'test/comparisons/{cheapest-not-worse,compare-metric,comparison-properties,draw-side,evaluator-options,gate-verdict,metric-verdicts,pair-items,report-html,verdict}.test.ts',
  'test/insights/{analysis,call-facts,insight-types,read-output-form}.test.ts',
  'test/recordings/readable.test.ts',
  'test/{prompts/{calls,diff-words,template},spending/budget}.test.ts',
  'test/endpoints/{body-template,json-pointer,call-endpoint}.test.ts',
  'test/otlp/{body-buffers,decode*,decompress,otlp-http,otlp-signals,receive-traces,span-rules}.test.ts',
  'test/properties/{client-address,cursors,environment,ids}.test.ts',
  'test/cli-client/{cli-settings,cli-terminal,evaluation-outputs,import-mapping}.test.ts',
  'test/sdk/sdk-retries.test.ts',
  'test/deploy/*.test.ts',
  'test/experiments/{search-simulation,guards,optimizers,own-evaluators}.test.ts',
  'test/storage/{query-compiler,row-batches}.test.ts',
  'test/traces/{dollars,prices,query-language,query-parameters,usage-spellings}.test.ts',
  'test/docs/{coverage,guide-pages,snippets}.test.ts',
  'test/http/{guide-files,stream-left}.test.ts',
  'test/{abuse/{evaluator-work,many-variables},auth/{passwords,sign-in-settings,totp},conformance/description,evaluation-engine/make-score}.test.ts',
  'test/{limits/{body-budget,connection-limits,fair-share,token-bucket},tools/{first-load,repository-checks}}.test.ts',
]
const FAULTS = [
  'test/{cli,fault,python}/*.test.ts',
  'test/cli-client/{command-line-client,mcp-command}.test.ts',
  'test/tools/postgres-server.test.ts',
]
/** On a Citus cluster, in a stage of their own: `test/citus/run-stage.ts`. */
const CITUS = ['test/citus/*.test.ts']
const BROWSER = ['test/e2e/*.test.ts']
const WEB = ['test/web/*.test.ts']

const isCi = process.env['CI'] !== undefined
const isOnCitus = process.env['TEST_ENGINE'] === 'citus'
const isSoak = process.env['TEST_STAGE'] === 'soak'

/** The same in every run, so that a failure can be repeated. Soak tests look for new cases; to repeat one, set TEST_SEED to what it printed. */
const seed = Number(process.env['TEST_SEED'] ?? (isSoak ? randomInt(2 ** 31) : 1))
if (isSoak) process.stdout.write(`TEST_SEED=${seed}\n`)

/** Garbage is collected less often: a tenth less processor time. Threads, which reject the option, need a fifth more for the pages. */
const execArgv = ['--max-semi-space-size=64']

/** One PostgreSQL for all projects that need one. */
const globalSetup = ['test/harness/global-setup.ts']

export default defineConfig({
  test: {
    // The stages in package.json choose tests by them; without a filter, all run. What belongs where: docs/testing.md.
    tags: [
      { name: 'deep', description: 'Only in the deep stage: large, slow, or the same guarantee in another way.' },
      { name: 'sized', description: 'In both stages, in the deep one with more cases.' },
      { name: 'postgres', description: 'On PostgreSQL; set by describeEngines.' },
      { name: 'sql', description: 'SQL or locks are the subject: PostgreSQL is part of npm test.' },
    ],
    // Only there to end a test that hangs: a busy machine must not fail one.
    testTimeout: isSoak ? 12 * 3_600_000 : 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
    setupFiles: ['test/harness/seeds.ts'],
    provide: { seed },
    // One more than the cores, because some tests mostly wait; more need a third more processor time for the same tests. Six at most:
    // each needs more than a gigabyte of memory.
    maxWorkers: Math.min(availableParallelism() + 1, 6),
    // The program is loaded once per worker and not once per file, which would cost a quarter of all the time. No test changes a module.
    isolate: false,
    // Node runs our TypeScript itself, as in the program: a fifth less processor time than modules that are transformed for the test runner.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: isCi ? ['default', 'json'] : ['default'],
    outputFile: { json: 'test-results.json' },
    // Servers that run in the test's process count; those that are started as processes do not.
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'json-summary'], thresholds: { lines: 90 } },
    projects: [
      { extends: true, test: { name: 'unit', include: UNIT, execArgv } },
      {
        extends: true,
        test: {
          name: 'api',
          include: ['test/**/*.test.ts'],
          exclude: [...UNIT, ...FAULTS, ...BROWSER, ...WEB, ...(isOnCitus ? [] : CITUS)],
          globalSetup,
          execArgv,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: FAULTS,
          globalSetup: [...globalSetup, 'test/harness/program-setup.ts'],
          execArgv,
        },
      },
      { extends: true, test: { name: 'browser', include: BROWSER, globalSetup, execArgv } },
      {
        extends: true,
        test: {
          name: 'web',
          include: WEB,
          setupFiles: ['test/web/each-test.ts'],
          environment: 'happy-dom',
          // JSX and styles need Vite.
          experimental: { viteModuleRunner: true },
          execArgv,
          environmentOptions: { happyDOM: { settings: { navigation: { disableMainFrameNavigation: true } } } },
        },
      },
    ],
  },
})
