/** Calls in flight, and calls that wait until others have settled, which are reserved at their maximum until then. */
export type Pool = ReturnType<typeof createPool>

export function createPool() {
  let active = 0
  let settled = Promise.withResolvers<void>()
  const wake = () => {
    settled.resolve()
    settled = Promise.withResolvers<void>()
  }
  return {
    enter: () => {
      active += 1
    },
    leave: () => {
      active -= 1
      wake()
    },
    wake,
    /** Waits for the end of another call. Returns false if there is none to wait for. */
    async waitForOthers(): Promise<boolean> {
      if (active <= 1) return false
      active -= 1
      const next = settled.promise
      await next
      active += 1
      return true
    },
  }
}
