import { setTimeout as delay } from 'node:timers/promises'
import { median } from './compare.ts'
import type { Line } from './line.ts'
import { encodeRequest, exchange, open } from './load.ts'
import { seededComponent } from './seeded-component.ts'
import type { Touchstone } from './servers.ts'

const DELAY_RATIO_MAX = 2
const PAUSE_MS = 20

/** Returns the milliseconds of single requests, sent one after the other with pauses until `until` settles. */
export async function probeReads({ port, key }: Touchstone, until: Promise<unknown>): Promise<number[]> {
  const request = encodeRequest({ method: 'GET', path: `/api/v1/components/${seededComponent(0).id}`, key })
  const socket = await open(port)
  const took: number[] = []
  let isOver = false
  const end = until.finally(() => {
    isOver = true
  })
  // The code below awaits it and gets the failure; until then it must not count as an unhandled rejection.
  end.catch(() => {})
  try {
    while (!isOver) {
      const startedAt = performance.now()
      await exchange(socket, request)
      took.push(performance.now() - startedAt)
      await delay(PAUSE_MS)
    }
    await end
    return took
  } finally {
    socket.destroy()
  }
}

/** How much work delays the slowest of a hundred reads. */
export function delayLine(
  name: string,
  { during, idle, longestMs }: { during: number[]; idle: number[]; longestMs: number },
): Line {
  const ratio = highest(during) / highest(idle)
  return {
    name,
    value: `${ratio.toFixed(2)}x`,
    bar: `<= ${DELAY_RATIO_MAX}x`,
    isMet: ratio <= DELAY_RATIO_MAX,
    detail:
      `${highest(during).toFixed(1)} by ${highest(idle).toFixed(1)} ms, median ${median(during).toFixed(1)} by ` +
      `${median(idle).toFixed(1)}; ${during.length} and ${idle.length} requests; longest delay ${longestMs.toFixed(0)} ms`,
  }
}

function highest(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
}
