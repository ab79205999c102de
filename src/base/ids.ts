import { randomFillSync } from 'node:crypto'
import type { Clock } from './clock.ts'

export type NewId = () => string

/** Exactly the specification's pattern: versions 1-8 with variant 8/9/a/b, or all zeros, or all `f`; hex in either case. */
export const UUID_PATTERN =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$'

const uuid = new RegExp(UUID_PATTERN)

export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/**
 * Makes UUIDs of version 7 (RFC 9562): the clock's milliseconds, then a 12-bit counter, then 62 random bits.
 * The counter makes ids of one process increase even within a millisecond, so that `createdAt, id` is the order of creation.
 */
export function idGenerator(clock: Clock): NewId {
  const random = Buffer.alloc(8 * 256)
  let used = random.length
  let lastMs = 0
  let counter = 0
  return () => {
    if (used === random.length) {
      randomFillSync(random)
      used = 0
    }
    const ms = Math.max(clock.now(), lastMs)
    counter = ms === lastMs ? counter + 1 : random.readUInt16BE(used) & 0x3ff
    lastMs = ms
    if (counter > 0xfff) {
      lastMs += 1
      counter = 0
    }
    const time = lastMs.toString(16).padStart(12, '0')
    const tail = random.toString('hex', used, used + 8)
    used += 8
    const variant = ((Number.parseInt(tail.charAt(0), 16) & 0x3) | 0x8).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  }
}
