/**
 * Builds `packages/server`, the package that `npx touchstone-server` runs, from the sources of the server and the built
 * interface and guide. Node does not strip types inside of node_modules, so the package contains JavaScript.
 *
 * Fails when its manifest does not have the version and the dependencies of the repository.
 *
 * Usage: node tools/build-server-package.ts
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'

const root = join(import.meta.dirname, '..')
const target = join(root, 'packages/server')
const built = join(target, 'dist')
const webFolder = join(root, 'dist/web')
const guideFolder = join(root, 'dist/guide')

type Manifest = { version: string; dependencies: Record<string, string> }

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function whyNot(): string | undefined {
  const [own, published] = [readManifest(root), readManifest(target)]
  if (published.version !== own.version) return 'packages/server/package.json has another version than package.json'
  if (!isDeepStrictEqual(published.dependencies, own.dependencies))
    return 'packages/server/package.json has other dependencies than package.json'
  for (const folder of [webFolder, guideFolder])
    if (!existsSync(join(folder, 'index.html'))) return 'The interface or the guide is not built: npm run prepare'
  return undefined
}

const problem = whyNot()
if (problem) {
  process.stderr.write(`build-server-package: ${problem}\n`)
  process.exit(1)
}
// A file that is no longer in the sources must not be published.
rmSync(built, { recursive: true, force: true })
execFileSync('tsc', ['-p', target], { cwd: root, stdio: 'inherit' })
// Where the server looks for it: next to its own code.
cpSync(webFolder, join(built, 'web'), { recursive: true })
cpSync(guideFolder, join(built, 'guide'), { recursive: true })
copyFileSync(join(root, 'openapi.json'), join(target, 'openapi.json'))
