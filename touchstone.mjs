#!/usr/bin/env node
// The door to the program. Plain JavaScript that any Node understands, so that an old one is told what to do.
import { createRequire } from 'node:module'
import './touchstone-flags.mjs'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Touchstone needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      'Start it with `npm start`: the repository brings its own Node.\n',
  )
  process.exit(1)
}

// What is read before anything of ours runs, so the program begins again in place, as the same process, if it was started without. Left
// alone, the allocator of Linux gives each thread a heap of its own, and what is freed in one is of no use to the others: 25 to 40 MB under
// load. A process with a channel to its parent goes on as it is: the channel would be lost.
const environment = createRequire(import.meta.url)('./touchstone-environment.json')
const isWithout = Object.keys(environment).some((name) => process.env[name] === undefined)
if (isWithout && process.platform === 'linux' && process.channel === undefined) {
  const commandLine = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, commandLine, { ...environment, ...process.env })
}
await import('./src/main.ts')
