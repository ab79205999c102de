/** Lets other requests run between two chunks of bulk work, so that nothing holds the process for long. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Cuts a list into runs of at most `size`. */
export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** For loops whose steps are short but may be very many: answers what to call with each, which lets others run every so often. */
export function pauseEvery(steps: number): () => Promise<void> | undefined {
  let taken = 0
  return () => {
    taken += 1
    return taken % steps === 0 ? yieldToEventLoop() : undefined
  }
}

/** For loops whose steps differ much in length: returns what to call after each, which lets other work run after so many milliseconds. */
export function pauseAfter(ms: number): () => Promise<void> | undefined {
  let from = performance.now()
  return () => {
    if (performance.now() - from < ms) return undefined
    return yieldToEventLoop().then(() => {
      from = performance.now()
    })
  }
}
