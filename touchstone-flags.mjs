// How the engine spends memory, set before the program is loaded: by measurement, and not needed to work.
import * as nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'

// What was compiled once is kept for the next start, which then is faster and takes less memory. Threads are told by the environment.
const compiled = fileURLToPath(new URL('./node_modules/.cache/touchstone', import.meta.url))
nodeModule.enableCompileCache?.(compiled)
process.env.NODE_COMPILE_CACHE ??= compiled

// Loading throws much away at once, for which the heap would grow by 25 MB that an idle server never needs again and never gives back.
setFlagsFromString('--semi-space-growth-factor=1')
setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), 2_000).unref()
// Collected when it has doubled, and not when it has grown to several times its size: under load that is tens of megabytes less. To
// collect when half as much again has been added would save 27 MB under load, and cost a quarter of the CPU of a large comparison.
setFlagsFromString('--heap-growing-percent=100')

// Commits wait for the disk on a thread of this pool: not behind the passwords and names of hosts that others wait for there.
process.env.UV_THREADPOOL_SIZE ??= '8'
