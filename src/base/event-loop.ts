import { NIL_ID } from './ids.ts'

/** Bulk work that waits for the next turn of the event loop. */
const yielded: (() => void)[] = []
let isContinuing = false
/** How long bulk work may continue in one turn, all of it together. */
const TURN_MS = 5

/** Lets other requests run between two chunks of bulk work, so that no work blocks the process for long. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    yielded.push(resolve)
    if (!isContinuing) setImmediate(continueYielded)
    isContinuing = true
  })
}

/** Continues one after the other: thirty chunks in the same turn would delay others as much as one that is thirty times as long. */
function continueYielded(): void {
  const endsAt = performance.now() + TURN_MS
  let left = yielded.length
  const continueNext = () => {
    if (left === 0 || performance.now() > endsAt) {
      isContinuing = yielded.length > 0
      if (isContinuing) setImmediate(continueYielded)
      return
    }
    left -= 1
    afterMicrotasks(continueNext)
    yielded.shift()?.()
  }
  continueNext()
}

/** Calls back when all has run that does not wait: a tick that a microtask schedules runs when no microtask is left. */
export function afterMicrotasks(callback: () => void): void {
  queueMicrotask(() => process.nextTick(callback))
}

/** Splits a list into chunks of at most `size`. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/**
 * For loops with many short steps: returns a function to call at each step, which yields to the event loop every
 * `steps` calls.
 */
export function pauseEvery(steps: number): () => Promise<void> | undefined {
  let taken = 0
  return () => {
    taken += 1
    return taken % steps === 0 ? yieldToEventLoop() : undefined
  }
}

/**
 * For loops whose steps differ in duration: returns a function to call after each step, which yields to the event loop
 * after `ms` milliseconds.
 */
export function pauseAfter(ms: number): () => Promise<void> | undefined {
  let from = performance.now()
  return () => {
    if (performance.now() - from < ms) return undefined
    return yieldToEventLoop().then(() => {
      from = performance.now()
    })
  }
}

/** The same for a generator that runs in slices: `yield*` the result after each step. */
export function slicesOf(ms: number): () => Generator<void, void> {
  let from = performance.now()
  return function* pause() {
    if (performance.now() - from < ms) return
    yield
    from = performance.now()
  }
}

/** Runs a generator and lets other requests run at each `yield`: a large batch must not block the process. */
export async function runInSlices<Result>(work: Generator<void, Result>): Promise<Result> {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    await yieldToEventLoop()
  }
}

/** The pages of a list that is read by key, for as long as they are full. Lets other requests run between two of them. */
export async function* readPages<Row, Key>(
  readPage: (page: { after: Key; limit: number }) => Promise<readonly Row[]>,
  { first, limit, keyOf }: { first: Key; limit: number; keyOf: (row: Row) => Key },
): AsyncGenerator<readonly Row[]> {
  for (let after = first; ; ) {
    const rows = await readPage({ after, limit })
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < limit) return
    after = keyOf(last)
    await yieldToEventLoop()
  }
}

/** For lists in the order of their ids. */
export function byId(limit: number) {
  return { first: NIL_ID, limit, keyOf: ({ id }: { id: string }) => id }
}

/** What waits for something scarce, by application. They take turns: the next one is that which has waited longest for its turn. */
export class TurnQueue<Entry> {
  readonly #waiting = new Map<string, Entry[]>()

  /** Those that wait, in the order of their turns. */
  get applications(): string[] {
    return [...this.#waiting.keys()]
  }

  countOf(application: string): number {
    return this.#waiting.get(application)?.length ?? 0
  }

  push(application: string, entry: Entry): void {
    const own = this.#waiting.get(application)
    if (own) own.push(entry)
    else this.#waiting.set(application, [entry])
  }

  /** Takes the oldest entry of the first application that may start its oldest; undefined if there is none. */
  take(mayStart?: (application: string, entry: Entry) => boolean): Entry | undefined {
    for (const [application, own] of this.#waiting) {
      const [first] = own
      if (first === undefined || mayStart?.(application, first) === false) continue
      // Its others are behind all others.
      this.#waiting.delete(application)
      own.shift()
      if (own.length > 0) this.#waiting.set(application, own)
      return first
    }
    return undefined
  }

  remove(application: string, entry: Entry): void {
    const others = this.#waiting.get(application)?.filter((one) => one !== entry) ?? []
    if (others.length > 0) this.#waiting.set(application, others)
    else this.#waiting.delete(application)
  }
}
