/** Tracks the threads of this process, to measure the CPU time of each. Import it before they start. */
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import workerThreads, { Worker, type WorkerOptions } from 'node:worker_threads'

const threads: { name: string; worker: Worker }[] = []

class WatchedWorker extends Worker {
  constructor(file: string | URL, options?: WorkerOptions) {
    super(file, options)
    threads.push({ name: basename(String(file)), worker: this })
  }
}

// Modules that import the class get this one from now on.
workerThreads.Worker = WatchedWorker
syncBuiltinESMExports()

/** The CPU time of all threads that have run this file until now. */
export async function cpuMicrosOf(file: string): Promise<number> {
  let micros = 0
  for (const { name, worker } of threads) {
    if (name !== file) continue
    const { user, system } = await worker.cpuUsage()
    micros += user + system
  }
  return micros
}
