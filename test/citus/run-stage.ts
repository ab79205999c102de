/** Runs the tests on a Citus cluster: files of other folders that test what it could break, and those of this folder. */
import { spawnSync } from 'node:child_process'
import { findCitus, findLoadError } from '../harness/citus-cluster.ts'

const FILES = [
  'test/citus/',
  'test/conformance/',
  'test/traces/ingest',
  'test/traces/retention',
  'test/traces/query-sql',
  'test/evaluation-engine/several-evaluations',
  'test/evaluation-engine/deleting',
  'test/evaluation-engine/gate',
  'test/comparisons/comparisons',
  'test/annotations/queue.test',
  'test/jobs/claim',
  'test/prompts/',
  'test/deployments/',
  'test/endpoints/',
  'test/spending/limits',
  'test/trials/',
  'test/playground/try.test',
]

const bin = findCitus()
const problem = bin === undefined ? 'the extension is not installed' : await findLoadError(bin)
if (problem === undefined) {
  const environment = { ...process.env, TEST_ENGINE: 'citus' }
  const given = ['run', '--tags-filter=!deep', ...FILES, ...process.argv.slice(2)]
  process.exitCode = spawnSync('vitest', given, { stdio: 'inherit', env: environment }).status ?? 1
} else {
  process.stderr.write(`!! Citus is not tested: ${problem}\n`)
  process.exitCode = process.env['REQUIRE_CITUS'] === undefined ? 0 : 1
}
