import { useReducer, useState } from 'react'
import { type RangeSearch, timesOf } from './time-range.ts'

/**
 * When each range was last asked for. It survives the page, because the list must have the same rows when the user comes back from a
 * trace.
 */
const askedAtMs = new Map<string, number>()

/** As long as the rows are cached. */
const KEPT_MS = 5 * 60_000

/** The times that chart, list, facets and export share; `refresh` moves a range that ends now. */
export function useTimeRange(applicationId: string, search: RangeSearch) {
  const [, update] = useReducer((count: number) => count + 1, 0)
  const [openedAtMs] = useState(() => Date.now())
  const key = `${applicationId} ${search.range}`
  const known = askedAtMs.get(key)
  const nowMs = known === undefined || openedAtMs - known > KEPT_MS ? Date.now() : known
  askedAtMs.set(key, nowMs)
  return {
    times: timesOf(search, nowMs),
    refresh: () => {
      askedAtMs.clear()
      update()
    },
  }
}
