/** Watches the threads of this process, so that what each of them costs can be told apart. To be imported before they start. */
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

// Whoever imported the class gets this one from now on.
workerThreads.Worker = WatchedWorker
syncBuiltinESMExports()

/** What all threads that run this file have taken so far. */
export async function cpuMicrosOf(file: string): Promise<number> {
  let micros = 0
  for (const { name, worker } of threads) {
    if (name !== file) continue
    const { user, system } = await worker.cpuUsage()
    micros += user + system
  }
  return micros
}
