/** For the tests that start the program: bundles it once for the whole run. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProgram } from './bundle-program.ts'
import { compileProgram } from './server-process.ts'

/** Within the repository, whose packages the bundle needs. */
const CACHE = join(import.meta.dirname, '../../node_modules/.cache')

export async function setup(): Promise<() => void> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'touchstone-tests-'))
  // Some tests start it as another user.
  chmodSync(folder, 0o755)
  await bundleProgram(folder)
  // Inherited by the workers.
  process.env['TEST_PROGRAM_FOLDER'] = folder
  await compileProgram()
  return () => rmSync(folder, { recursive: true, force: true })
}
