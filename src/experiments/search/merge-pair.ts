import { frontOf } from './front.ts'
import { type Candidate, meanOf, NEW, ROUNDING, type Search, validationMean } from './search.ts'

/**
 * Two candidates of the front of which neither comes from the other, and which together would answer more than each: the pair with the highest
 * mean of the better answer to each validation item. Each pair is merged once.
 */
export function planMerge(search: Search, { number, round }: { number: number; round: number }): Candidate | undefined {
  const members = frontOf(search).map((member) => member.number)
  const merged = new Set(search.candidates.map(({ parent, otherParent }) => `${parent} ${otherParent}`))
  let found: { parent: number; otherParent: number; mean: number } | undefined
  for (const [place, one] of members.entries()) {
    for (const other of members.slice(place + 1)) {
      const isKin = ancestorsOf(search, one).includes(other) || ancestorsOf(search, other).includes(one)
      const [parent, otherParent] = byMean(search, one, other)
      if (isKin || merged.has(`${parent} ${otherParent}`) || merged.has(`${otherParent} ${parent}`)) continue
      const mean = meanOfBetter(search, one, other)
      if (mean > (found?.mean ?? validationMean(search, parent) ?? 0) + ROUNDING) found = { parent, otherParent, mean }
    }
  }
  if (!found) return undefined
  const { parent, otherParent } = found
  return { ...NEW, number, kind: 'merge', parent, otherParent, round, step: 'composing' }
}

function byMean(search: Search, one: number, other: number): [number, number] {
  const isFirstBetter = (validationMean(search, one) ?? 0) >= (validationMean(search, other) ?? 0)
  return isFirstBetter ? [one, other] : [other, one]
}

function meanOfBetter({ settings, valueFor }: Search, one: number, other: number): number {
  return meanOf(settings.validation.map((item) => Math.max(valueFor(one, item) ?? 0, valueFor(other, item) ?? 0))) ?? 0
}

type Family = { candidates: readonly Pick<Candidate, 'number' | 'parent' | 'otherParent'>[] }

/** The prompt that both come from, and no later one: what each of them has changed is compared with it. */
export function commonAncestor(family: Family, one: number, other: number): number {
  const others = new Set([other, ...ancestorsOf(family, other)])
  return Math.max(0, ...ancestorsOf(family, one).filter((number) => others.has(number)))
}

function ancestorsOf({ candidates }: Family, number: number): number[] {
  const found = new Set<number>()
  const open = [number]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { parent, otherParent } = candidates.find((one) => one.number === next) ?? {}
    for (const above of [parent, otherParent]) {
      if (typeof above !== 'number' || found.has(above)) continue
      found.add(above)
      open.push(above)
    }
  }
  return [...found]
}
