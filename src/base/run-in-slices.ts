import { yieldToEventLoop } from './event-loop.ts'

/** Runs a generator and lets other requests run at each `yield`: a large batch must not block the process. */
export async function runInSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await yieldToEventLoop()
  }
}
