/**
 * How much one score may cost. Work is counted in bytes touched and not in time, so that a case gets the same verdict on every machine.
 * An evaluator spends before it works. What needs more than a part of it runs in a worker: see `evaluate-case.ts`.
 */

/** A unit needs 2 to 5 ns at worst: up to 100 ms in all. */
export const WORK_MAX = 20_000_000

/** Thrown when a score takes more work than it may. */
export class TooMuchWork extends Error {}

export type WorkBudget = {
  spend(units: number): void
}
/** Also reports whether it was exceeded, which an evaluator may have turned into a verdict. */
type CheckedBudget = WorkBudget & { readonly isExceeded: boolean }

export function workBudget(unitsMax = WORK_MAX): CheckedBudget {
  let left = unitsMax
  return {
    get isExceeded() {
      return left < 0
    },
    spend(units) {
      left -= units
      if (left < 0) throw new TooMuchWork(`more than ${unitsMax} units of work`)
    },
  }
}

/** What a character costs. Beyond ASCII every step is slower: composing letters, and the case of all scripts. */
export type CharacterCost = { ascii: number; other: number }

/** To compose letters, ignore case, and compare or search once. */
export const COMPARED: CharacterCost = { ascii: 4, other: 40 }
/** The same, and to cut it into words. */
export const IN_WORDS: CharacterCost = { ascii: 18, other: 60 }

export function spendOnTexts(budget: WorkBudget, cost: CharacterCost, ...texts: readonly (string | null)[]): void {
  for (const text of texts) {
    if (text === null) continue
    budget.spend(text.length * (BEYOND_ASCII.test(text) ? cost.other : cost.ascii))
  }
}

const BEYOND_ASCII = /[\u0080-\uffff]/
