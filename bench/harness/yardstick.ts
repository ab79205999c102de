import { createHash } from 'node:crypto'
import { median } from './compare.ts'

const WARM_UPS = 1
const ROUNDS = 3
const OBJECTS = 20_000

/**
 * Microseconds of CPU for a fixed computation: JSON, maps and hashes, as in requests. The same work costs more on a slower or busier
 * machine, so other amounts of CPU time are divided by it.
 */
export function measureYardstick(): number {
  const samples: number[] = []
  for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
    const before = process.cpuUsage()
    compute()
    const { user, system } = process.cpuUsage(before)
    if (round >= WARM_UPS) samples.push(user + system)
  }
  return median(samples)
}

function compute(): number {
  const seen = new Map<string, number>()
  for (let place = 0; place < OBJECTS; place += 1) {
    const text = JSON.stringify({ id: place, name: `component ${place % 500}`, tags: ['a', 'b'], size: place / 7 })
    const { name, size }: { name: string; size: number } = JSON.parse(text)
    const digest = createHash('sha256').update(text).digest('hex')
    seen.set(name, (seen.get(name) ?? 0) + size + digest.length)
  }
  return seen.size
}
