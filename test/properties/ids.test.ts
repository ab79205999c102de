import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { idGenerator, isUuid, lowestIdAt } from '../../src/base/ids.ts'
import { runs } from '../harness/stage.ts'

const HEX = '0123456789abcdefABCDEF'

/**
 * Written from the specification's message alone: a standard UUID (version digit 1-8, variant digit 8/9/a/b, hex in either
 * case), or the all-zero UUID, or the all-`f` UUID. No regular expression, so that it shares no mistake with the one in use.
 */
function isUuidBySpecification(text: string): boolean {
  const groups = text.split('-')
  if (groups.map((group) => group.length).join() !== '8,4,4,4,12') return false
  const digits = [...groups.join('')]
  if (digits.length !== 32 || !digits.every((digit) => HEX.includes(digit))) return false
  const isAll = (wanted: string) => digits.every((digit) => digit.toLowerCase() === wanted)
  if (isAll('0') || isAll('f')) return true
  return '12345678'.includes(digits[12] ?? ' ') && '89ab'.includes((digits[16] ?? ' ').toLowerCase())
}

const hexDigit = fc.constantFrom(...HEX)
const likeUuid = fc
  .tuple(...[8, 4, 4, 4, 12].map((length) => fc.string({ unit: hexDigit, minLength: length, maxLength: length })))
  .map((groups) => groups.join('-'))
const standard = fc
  .tuple(likeUuid, fc.constantFrom(...'0123456789'), fc.constantFrom(...'789abcABC'))
  .map(([text, version, variant]) => `${text.slice(0, 14)}${version}${text.slice(15, 19)}${variant}${text.slice(20)}`)
const NIL = '00000000-0000-0000-0000-000000000000'
const MAX = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const special = fc.constantFrom(NIL, MAX, MAX.toUpperCase(), `${MAX.slice(0, 35)}F`)

/** One character replaced, removed or added. */
const nearly = fc
  .tuple(fc.oneof(standard, special), fc.nat(36), fc.string({ unit: 'binary', maxLength: 2 }), fc.nat(1))
  .map(([text, place, piece, removed]) => text.slice(0, place) + piece + text.slice(place + removed))
const decorated = fc
  .tuple(standard, fc.constantFrom('\n', ' ', '\r\n', '\u0000', '{', 'urn:uuid:'), fc.boolean())
  .map(([text, piece, isBefore]) => (isBefore ? piece + text : text + piece))

describe('the pattern of ids', () => {
  it('accepts exactly the ids that the specification accepts', { tags: 'sized' }, () => {
    const seen = { accepted: 0, rejected: 0 }
    const candidates = fc.oneof(
      standard,
      special,
      likeUuid,
      nearly,
      decorated,
      fc.uuid(),
      fc.string({ unit: 'binary' }),
    )
    fc.assert(
      fc.property(candidates, (text) => {
        expect({ text, isAccepted: isUuid(text) }).toEqual({ text, isAccepted: isUuidBySpecification(text) })
        seen[isUuid(text) ? 'accepted' : 'rejected'] += 1
      }),
      { numRuns: runs(20_000) },
    )
    expect(Math.min(seen.accepted, seen.rejected)).toBeGreaterThan(1_000)
  })
})

describe('new ids', () => {
  it('are unique, increasing UUIDs of version 7, even if the clock stops or goes backwards', {
    tags: 'sized',
  }, () => {
    const start = fc.integer({ min: 0, max: 2 ** 47 })
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 5 }), fc.nat(3)), {
      minLength: 1,
      maxLength: 300,
    })
    fc.assert(
      fc.property(start, steps, (from, moves) => {
        let now = from
        const newId = idGenerator({ now: () => now })
        const ids = moves.map((move) => {
          now = Math.max(0, now + move)
          return newId()
        })
        expectIncreasing(ids)
      }),
      { numRuns: runs(300) },
    )
  })

  it('stay so when the counter of a millisecond overflows', () => {
    const newId = idGenerator({ now: () => 1_790_000_000_000 })
    expectIncreasing(Array.from({ length: 20_000 }, newId))
  })

  it('carry the time of the clock while it goes forward, and are in the range of that time', { tags: 'sized' }, () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 50 }), (moves) => {
        let now = 1_700_000_000_000
        const newId = idGenerator({ now: () => now })
        for (const move of moves) {
          now += move
          const id = newId()
          expect(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toBe(now)
          expect(lowestIdAt(now) <= id && id < lowestIdAt(now + 1)).toBe(true)
        }
      }),
      { numRuns: runs(100) },
    )
  })

  it('of two servers with the same clock are different', () => {
    const clock = { now: () => 1_790_000_000_000 }
    const makers = [idGenerator(clock), idGenerator(clock)]
    const ids = makers.flatMap((newId) => Array.from({ length: 5_000 }, newId))
    expect(new Set(ids).size).toBe(10_000)
  })
})

function expectIncreasing(ids: string[]): void {
  for (const [place, id] of ids.entries()) {
    if (!isUuidBySpecification(id) || id[14] !== '7' || id !== id.toLowerCase()) expect.fail(`${id} is no version 7`)
    const earlier = ids[place - 1]
    if (earlier !== undefined && !(earlier < id)) expect.fail(`${id} came after ${earlier}`)
  }
}
