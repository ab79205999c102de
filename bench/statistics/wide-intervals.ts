/** The cells whose intervals cover more than 98 %, and why. Discreteness forces most of them; the others are a choice. */

import type { MeasuredCell } from './simulated-cell.ts'

/** Intervals that cover more are wider than 95 % needs. */
export const COVERAGE_WIDE = 98

type Wide = { readonly why: string; readonly cells: Readonly<Record<string, readonly (number | null)[]>> }

const WIDE: readonly Wide[] = [
  {
    why: 'discreteness: about six items or fewer differ, so a sample has few possible results',
    cells: {
      'yes/no: 0.5 twice, 25 % differ': [10],
      'yes/no: 0.95 twice': [10, 30],
      'yes/no: 0.98 twice': [10, 30, 100],
      'yes/no: 0.95 to 0.90': [10, 30],
      'yes/no: 5 % break': [10, 30],
      'scores: grades, 80 % equal': [10],
      'scores: grades, 80 % equal, more fall': [10, 30],
      'scores: 5 % of items lose 0.8': [10, 30, 100],
      'scores: ceiling, 0.95 to 0.90': [10],
      'scores: ceiling, 0.95 twice': [10],
      'scores: 2 % lose 0.8, 4 % gain 0.4': [50],
      'ratios: 10 % of items doubled': [10],
    },
  },
  {
    why: 'discreteness: ten groups, of which few differ',
    cells: {
      'groups: rate 0.9': [10],
      'groups: questions with 5 copies': [10],
      'grouped rate of 0.9: 10 x 5, correlation 0.3': [null],
    },
  },
  {
    why: 'discreteness: few answers differ from the most common one',
    cells: {
      'κ: yes/no, 90 % yes, true 0.4': [10],
      'κ: yes/no, 90 % yes, true 0.7': [10],
      'κ: yes/no, 90 % yes, true 0.9': [10],
      'κ: yes/no, 95 % yes, true 0': [100],
      'κ: yes/no, 95 % yes, true 0.4': [10],
      'κ: yes/no, 95 % yes, true 0.7': [10, 20],
      'κ: yes/no, 95 % yes, true 0.9': [10, 20],
      'κ: 90, 5, 5 %, true 0.7': [20],
      'weighted κ: grades 2, 3, 5, 20, 70 %, true 0.9': [20],
      'α: three raters, 95 % yes, true 0.4': [20],
    },
  },
  {
    why: 'discreteness: of few labels few differ from the judge, and one more may differ by twice the scale',
    cells: {
      'corrected by labels: 5 % break': [30, 50],
      'corrected by labels: 10 % lose, 5 % gain': [30, 50],
    },
  },
  {
    why: 'a choice: the end away from 0 covers changes that no item of the sample shows',
    cells: {
      'scores: exponential gains of 0.1': [10, 30, 100],
      'scores: exponential losses of 0.1': [10, 30, 100],
      'scores: loss 0.05, sd 0.1': [50],
      'scores: loss 0.05 and nothing else': [10, 30, 100],
      'groups: scores, loss 0.1': [10],
    },
  },
  {
    why: 'a choice: intervals for any number of looks hold at all of them',
    cells: {
      'a look after every item: yes/no, 20 % differ': [200],
      'a look after every item: scores, sd 0.2': [200],
      'a look after every item: scores, 5 % break, mean 0': [200],
    },
  },
  {
    why: 'a choice: the interval covers whichever candidate is chosen',
    cells: {
      'best of 5: scores': [100],
      'best of 5: groups': [100],
      'best of 10: scores': [100],
      'best of 10: groups': [100],
    },
  },
  {
    why: 'not an interval: how often an alarm is not false',
    cells: { 'drift: no alarm in 25 evaluations (at least 95)': [null] },
  },
]

/** Undefined for a cell that may not cover more. */
export function whyWide({ world, n }: Pick<MeasuredCell, 'world' | 'n'>): string | undefined {
  return WIDE.find(({ cells }) => cells[world]?.includes(n))?.why
}

/** All cells that are named. */
export const WIDE_CELLS = WIDE.flatMap(({ cells }) =>
  Object.entries(cells).flatMap(([world, sizes]) => sizes.map((n) => ({ world, n }))),
)
