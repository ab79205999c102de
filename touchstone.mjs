#!/usr/bin/env node
// The door to the program. Plain JavaScript that any Node understands, so that an old one is told what to do.
import './touchstone-flags.mjs'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Touchstone needs Node 24 or newer; this is Node ${process.versions.node}.\n` +
      'Start it with `npm start`: the repository brings its own Node.\n',
  )
  process.exit(1)
}
await import('./src/main.ts')
