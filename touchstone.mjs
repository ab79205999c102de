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
await import('./touchstone-flags.mjs')

// What is read before anything of ours runs, so the program begins again in place, as the same process, if it was started without. Left
// alone, the allocator of Linux gives each thread a heap of its own, and what is freed in one is of no use to the others: 25 to 40 MB under
// load. A process with a channel to its parent goes on as it is: the channel would be lost.
const environment = require('./touchstone-environment.json')
const isWithout = Object.keys(environment).some((name) => process.env[name] === undefined)
if (isWithout && process.platform === 'linux' && process.channel === undefined) {
  const commandLine = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, commandLine, { ...environment, ...process.env })
}
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
