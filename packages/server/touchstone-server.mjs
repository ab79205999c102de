#!/usr/bin/env node
// JavaScript that any Node understands, which imports nothing of ours until the check has passed: an old Node gets a message, not a stack.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const NODE_MIN = 24

if (Number(process.versions.node.split('.')[0]) < NODE_MIN) {
  process.stderr.write(
    `Touchstone needs Node ${NODE_MIN} or newer; this is Node ${process.versions.node}.\n` +
      `Install a newer Node, or let npx fetch one: npx -p node@${NODE_MIN} -p touchstone-server touchstone-server\n`,
  )
  process.exit(1)
}
// Starts faster and with less memory: compiled code is kept for the next start. In a folder that cannot be written, it is not. Worker
// threads see only the variable.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('./.cache', import.meta.url))
createRequire(import.meta.url)('node:module').enableCompileCache(process.env.NODE_COMPILE_CACHE)
// Commits wait for the disk in Node's thread pool, and should not wait there for password hashes and DNS; the default is 4.
process.env.UV_THREADPOOL_SIZE ??= '8'
await import('./dist/main.js')
