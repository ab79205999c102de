import type { WorkBudget } from '../work-budget.ts'

type Pairs = { left: number; right: number; fits(left: number, right: number): boolean }

/**
 * The length of the longest common subsequence, by the table of Wagner and Fischer (1974), one row at a time. Needs
 * left × right steps.
 */
export function commonSubsequence({ left, right, fits }: Pairs, budget: WorkBudget): number {
  let above = new Uint32Array(right + 1)
  let row = new Uint32Array(right + 1)
  for (let place = 0; place < left; place += 1) {
    budget.spend(2 * right)
    for (let other = 0; other < right; other += 1) {
      const longest = fits(place, other) ? (above[other] ?? 0) + 1 : Math.max(above[other + 1] ?? 0, row[other] ?? 0)
      row[other + 1] = longest
    }
    ;[above, row] = [row, above]
  }
  return above[right] ?? 0
}
