/**
 * Builds the documentation site into dist/guide, unless it is newer than its sources. `site/` has its own packages, which
 * are installed here: neither the server nor its tests need them. Nothing but their installation uses the network.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { guideState } from './guide-state.ts'

const root = join(dirname(import.meta.filename), '..')
const site = join(root, 'site')
const run = (program: string, words: string[], env: NodeJS.ProcessEnv = process.env) =>
  execFileSync(program, words, { cwd: site, stdio: 'inherit', env })

if (guideState(root) === 'current') console.log('build-guide: dist/guide is newer than its sources')
else build()

function build(): void {
  // No package needs its install script: the binaries are in packages of their own.
  if (!isInstalled()) run('npm', ['ci', '--ignore-scripts'])
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'])
  rmSync(join(root, 'dist/guide'), { recursive: true, force: true })
  run(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build'], {
    ...process.env,
    ASTRO_TELEMETRY_DISABLED: '1',
  })
}

function isInstalled(): boolean {
  const written = join(site, 'node_modules/.package-lock.json')
  return existsSync(written) && statSync(written).mtimeMs >= statSync(join(site, 'package-lock.json')).mtimeMs
}
