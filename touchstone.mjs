#!/usr/bin/env node
// The door to the program. Plain JavaScript that any Node understands, so that an old one is told what to do.
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Touchstone needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      'Start it with `npm start`: the repository brings its own Node.\n',
  )
  process.exit(1)
}
// Loading throws much away at once, for which the heap would grow by 25 MB that an idle server never needs again and never gives back.
setFlagsFromString('--semi-space-growth-factor=1')
setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), 2_000).unref()
// Collected when a fifth has been added, and not when it has doubled: under load that is a hundred megabytes less for a few percent of CPU.
setFlagsFromString('--heap-growing-percent=20')
// What was compiled once is kept for the next start, which then is faster and takes less memory.
nodeModule.enableCompileCache(fileURLToPath(new URL('./node_modules/.cache/touchstone', import.meta.url)))
await import('./src/main.ts')
