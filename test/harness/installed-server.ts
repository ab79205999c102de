/** The package `touchstone-server` in an empty folder, as `npm install` would put it there, without downloading anything. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')
const SOURCE = join(ROOT, 'packages/server')

export type InstalledServer = {
  /** The program, as `npx` finds it. */
  program: string
  packageFolder: string
  tarballBytes: number
}

/** Builds the package, packs it and unpacks the tarball. Only the dependencies that its manifest lists can be found from there. */
export function installServer(folder: string): InstalledServer {
  const run = (command: string, args: string[], cwd: string) => execFileSync(command, args, { cwd, encoding: 'utf8' })
  run(process.execPath, [join(ROOT, 'tools/build-server-package.ts')], ROOT)
  // Without the scripts: they would build the interface again, which other tests are reading.
  run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], SOURCE)
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  const modules = join(folder, 'node_modules')
  const packageFolder = join(modules, 'touchstone-server')
  mkdirSync(packageFolder, { recursive: true })
  run('tar', ['--extract', '--gzip', '--strip-components=1', '--file', join(folder, tarball)], packageFolder)
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  for (const name of Object.keys(manifest.dependencies)) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  mkdirSync(join(modules, '.bin'))
  const program = join(modules, '.bin/touchstone-server')
  symlinkSync(join(packageFolder, manifest.bin['touchstone-server']), program)
  return { program, packageFolder, tarballBytes: readFileSync(join(folder, tarball)).length }
}
