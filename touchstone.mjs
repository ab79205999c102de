#!/usr/bin/env node
// The entry point. Until its checks have passed it is JavaScript that any Node understands and imports nothing of ours: an old Node and a
// missing installation get a message, not a stack.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const problem = whyItCannotStart(Number(process.versions.node.split('.')[0]))
if (problem) {
  process.stderr.write(problem)
  process.exit(1)
}
// Starts faster and with less memory: compiled code is kept for the next start. Worker threads see only the variable; without it, each
// would load the compiler of TypeScript, which needs 14 MB.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./node_modules/.cache/touchstone', import.meta.url))
require('node:module').enableCompileCache(process.env.NODE_COMPILE_CACHE)
// Commits wait for the disk in Node's thread pool, and should not wait there for password hashes and DNS; the default is 4.
process.env.UV_THREADPOOL_SIZE ??= '8'
await import('./src/main.ts')

function whyItCannotStart(major) {
  // All of them: after an update of the repository a single new one may be missing.
  const packages = Object.keys(require('./package.json').dependencies)
  const isInstalled = packages.every((name) => existsSync(fileURLToPath(new URL(`./node_modules/${name}`, import.meta.url))))
  if (!isInstalled && major < 20) {
    return (
      `Touchstone needs Node 20 or newer to be installed; this is Node ${process.versions.node}.\n` +
      'Install a newer Node, then run `npm ci`.\n'
    )
  }
  if (!isInstalled) return 'The packages are not installed. Run `npm ci` first.\n'
  if (major < 24) {
    return (
      `Touchstone needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      'Start it with `npm start`: the repository brings its own Node.\n'
    )
  }
  return undefined
}
