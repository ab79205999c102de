/**
 * Limits the work of one score. Work is counted in bytes processed instead of time, so that a case gets the same
 * verdict on every machine. An evaluator spends units before it does the work. A score that needs more than a part of
 * the budget runs in a worker: see `evaluate-case.ts`.
 */

/** A unit needs 2 to 5 ns at worst: up to 100 ms in total. */
export const WORK_MAX = 20_000_000

/** Thrown when a score needs more work than its budget. */
export class TooMuchWork extends Error {}

export type WorkBudget = {
  spend(units: number): void
}
/** Reports whether the budget was exceeded, because an evaluator may have turned the error into a verdict. */
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

/** The cost of a character. Text beyond ASCII is slower to normalize and to convert to lower case. */
export type CharacterCost = { ascii: number; other: number }

/** To normalize, ignore case, and compare or search once. */
export const COMPARED: CharacterCost = { ascii: 4, other: 40 }
/** The same, plus splitting into words. */
export const IN_WORDS: CharacterCost = { ascii: 18, other: 60 }

export function spendOnTexts(budget: WorkBudget, cost: CharacterCost, ...texts: readonly (string | null)[]): void {
  for (const text of texts) {
    if (text === null) continue
    budget.spend(text.length * (BEYOND_ASCII.test(text) ? cost.other : cost.ascii))
  }
}

const BEYOND_ASCII = /[\u0080-\uffff]/
