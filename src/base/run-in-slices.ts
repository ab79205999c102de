import { yieldToEventLoop } from './event-loop.ts'

/** Runs work that pauses by `yield`, and lets other requests run at each pause: a large batch must not stop the process. */
export async function unhurried<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await yieldToEventLoop()
  }
}
