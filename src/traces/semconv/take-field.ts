import type { Picks } from './pick-fields.ts'

/** Uses the value of a field. Every field of a mapped span is read through this function, so that it can be explained. */
export function take(picks: Picks, slot: number): unknown {
  picks.taken[slot] = true
  return picks.values[slot]
}

export function takeText(picks: Picks, slot: number): string | null {
  const value = take(picks, slot)
  return typeof value === 'string' ? value : null
}

export function takeNumber(picks: Picks, slot: number): number | null {
  const value = take(picks, slot)
  return typeof value === 'number' ? value : null
}
