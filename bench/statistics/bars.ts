/** What the figures must reach, and the cells that are known not to. */

import type { Figure, MeasuredCell } from './simulated-cell.ts'

const COVERAGE_MIN = 93
const FALSE_MAX = 5
const GATE_MAX = 5
/** How far the power may be below that of the best simple test. */
const POWER_BELOW_MAX = 5
const DETECTED = [75, 86] as const
/** In points. */
const BIAS_MAX = 2
const FUTILE_LOSS_MAX = 5
/** The standard deviation of what is expected less the true gain is at most this, in points. */
const BIAS_SPREAD = 10

export type Bar = {
  readonly figure: Figure
  readonly value: number
  /** As it is printed, such as `>= 93 %`. */
  readonly bar: string
  readonly isMet: boolean
  /** Why the bar of this cell is its known figure, or undefined. */
  readonly known?: string | undefined
}

type Known = { readonly figures: Partial<Record<Figure, Record<number, number>>>; readonly why: string }

const UNSEEN_BREAKAGE = 'a breakage that no item of the sample shows looks like a gain; gates hold'
const SKEW = 'strong skew with few items'
const EXPLOSIONS = 'nothing bounds a ratio: explosions that the sample does not show are unknown'
const FEW_DIFFER = 'few items differ, where t is too sure'
const UNPLANNED = 'the price of looking at any time; one look is the simple test'

/** Figures that cannot be reached, by world and number of items: they must not become worse. */
const KNOWN: Record<string, Known> = {
  'scores: 5 % break, mean 0': {
    figures: { coverage: { 10: 39.1, 30: 76.8 }, falseVerdicts: { 10: 60.9, 30: 23.2 } },
    why: UNSEEN_BREAKAGE,
  },
  'scores: 2 % break, mean 0': {
    figures: {
      coverage: { 10: 18.2, 30: 46, 100: 86.7 },
      falseVerdicts: { 10: 81.8, 30: 54, 100: 13.3, 300: 6.3 },
    },
    why: UNSEEN_BREAKAGE,
  },
  'scores: 10 % break, mean 0': {
    figures: { coverage: { 10: 64.8 }, falseVerdicts: { 10: 35.2 } },
    why: UNSEEN_BREAKAGE,
  },
  'five planned looks: scores, 5 % break, mean 0': {
    figures: { coverage: { 100: 62.5 }, falseVerdicts: { 100: 37.5 } },
    why: UNSEEN_BREAKAGE,
  },
  'scores: exponential around 0': {
    figures: { coverage: { 10: 90.8 }, falseVerdicts: { 10: 9.2, 30: 6.7 } },
    why: SKEW,
  },
  'ratios: 3 % of items × 20, sd 0.3': {
    figures: { coverage: { 10: 90.5, 30: 85.7, 100: 90.7 }, gate: { 30: 12.2 } },
    why: EXPLOSIONS,
  },
  'ratios: 3 % of items × 20, sd 0.1': {
    figures: { coverage: { 10: 48.2, 30: 61.6, 100: 89.7 }, gate: { 30: 38.4 } },
    why: EXPLOSIONS,
  },
  'ratios: 20 % free, the others × 1.25': { figures: { falseVerdicts: { 10: 5.7 } }, why: SKEW },
  'scores: 5 % of items lose 0.8': { figures: { power: { 30: 0.4, 100: 40 } }, why: FEW_DIFFER },
  'ratios: 10 % of items doubled': { figures: { power: { 30: 17.7 } }, why: FEW_DIFFER },
  'five unplanned looks: gain 0.05, 20 % differ': { figures: { power: { 500: 32.9 } }, why: UNPLANNED },
  'five unplanned looks: gain 0.06, 13 % differ': { figures: { power: { 500: 82.7 } }, why: UNPLANNED },
  'five unplanned looks: gain 0.09, 29 % differ': { figures: { power: { 500: 76.2 } }, why: UNPLANNED },
}

/** Samples vary: figures may miss their bar by three standard errors. */
const STANDARD_ERRORS = 3

export function barsOf({ world, n, samples, figures, coverageMax, earlyMin, isForInformation }: MeasuredCell): Bar[] {
  if (isForInformation) return []
  const known = KNOWN[world]
  const slackAt = (percent: number) =>
    samples === null ? 0.05 : STANDARD_ERRORS * Math.sqrt((percent * (100 - percent)) / samples)
  const check = (figure: Figure, limit: number, side: 'least' | 'most'): Bar[] => {
    const value = figures[figure]
    if (value === undefined) return []
    const knownFigure = known?.figures[figure]?.[n ?? 0]
    const bar = knownFigure ?? limit
    // A figure near 0 or 100 has a small error, but not none.
    const ofShare = slackAt(Math.max(FALSE_MAX, Math.min(100 - FALSE_MAX, bar)))
    const slack = figure === 'bias' ? (STANDARD_ERRORS * BIAS_SPREAD) / Math.sqrt(samples ?? 1) : ofShare
    const isMet = side === 'least' ? value >= bar - slack : value <= bar + slack
    return [
      {
        figure,
        value,
        bar: `${side === 'least' ? '>=' : '<='} ${bar.toFixed(1)} %`,
        isMet,
        known: knownFigure === undefined ? undefined : known?.why,
      },
    ]
  }
  return [
    ...check('coverage', COVERAGE_MIN, 'least'),
    ...(coverageMax === undefined ? [] : check('coverage', coverageMax, 'most')),
    ...check('falseVerdicts', FALSE_MAX, 'most'),
    ...check('gate', GATE_MAX, 'most'),
    ...(figures.simplePower === undefined
      ? []
      : check('power', Math.max(0, figures.simplePower - POWER_BELOW_MAX), 'least')),
    ...check('detected', DETECTED[0], 'least'),
    ...check('detected', DETECTED[1], 'most'),
    ...(earlyMin === undefined ? [] : check('early', earlyMin, 'least')),
    ...check('futileLoss', FUTILE_LOSS_MAX, 'most'),
    ...check('bias', -BIAS_MAX, 'least'),
    ...check('bias', BIAS_MAX, 'most'),
  ]
}
