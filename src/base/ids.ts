import { hash, randomFillSync } from 'node:crypto'
import { type Clock, timestamp } from './clock.ts'

export type NewId = () => string

/**
 * The pattern of the specification: versions 1-8 with variant 8/9/a/b, or all zeros, or all `f`; hex digits in either
 * case.
 */
export const UUID_PATTERN =
  '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000|[fF]{8}-[fF]{4}-[fF]{4}-[fF]{4}-[fF]{12})$'

const uuid = new RegExp(UUID_PATTERN)

export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/**
 * Creates UUIDs of version 7 (RFC 9562): the milliseconds of the clock, a 12-bit counter, and 62 random bits. The
 * counter makes the ids of one process increase even within a millisecond, so that `createdAt, id` is the order of
 * creation.
 */
export function idGenerator(clock: Clock): NewId {
  const pool = Buffer.alloc(8 * 256)
  let random = ''
  let used = 0
  let lastMs = 0
  let counter = 0
  let time = ''
  return () => {
    if (used === random.length) {
      random = randomFillSync(pool).toString('hex')
      used = 0
    }
    const tail = random.slice(used, used + 16)
    used += 16
    const ms = Math.max(clock.now(), lastMs)
    counter = ms === lastMs && time !== '' ? counter + 1 : Number.parseInt(tail.slice(0, 3), 16) & 0x3ff
    const isFull = counter > 0xfff
    if (isFull) counter = 0
    if (isFull || ms !== lastMs || time === '') {
      lastMs = isFull ? ms + 1 : ms
      const hex = lastMs.toString(16).padStart(12, '0')
      time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`
    }
    const variant = VARIANTS[Number.parseInt(tail.charAt(0), 16) & 0x3]
    return `${time}${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`
  }
}

/** The first digit after the third dash: two fixed and two random bits. */
const VARIANTS = ['8', '9', 'a', 'b']

/** The nil UUID. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

/**
 * The time in an id that this program created. It is the `createdAt` of the row, so that the order of ids is the order
 * of creation: newest first is the primary key in descending order, on every engine, without another index.
 */
export function createdAtOf(id: string): string {
  return timestamp(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
}

/** No id that this program creates at this time or later is lower. */
export function lowestIdAt(milliseconds: number): string {
  const hex = Math.max(0, Math.floor(milliseconds)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** Derives an id from names: the same names always result in the same id (RFC 9562, version 5, without a namespace). */
export function idFromNames(...names: string[]): string {
  const hex = hash('sha1', names.join('\n'), 'hex')
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 0x3]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
