/** Comparisons in known worlds: the recorded figures meet their bars, and a tenth of the samples still does. */
import { describe, expect, it } from 'vitest'
import { barsOf } from '../../bench/statistics/bars.ts'
import { compareSample, SCALE } from '../../bench/statistics/compare-sample.ts'
import { readCells } from '../../bench/statistics/recorded-cells.ts'
import { type Cell, type MeasuredCell, measureCell } from '../../bench/statistics/simulated-cell.ts'
import { COVERAGE_WIDE, WIDE_CELLS } from '../../bench/statistics/wide-intervals.ts'
import { WORLDS } from '../../bench/statistics/worlds.ts'
import { CELLS } from '../../bench/statistics-coverage.ts'
import { compareMetric } from '../../src/comparisons/evidence/compare-metric.ts'
import { pValue } from '../../src/statistics/paired/p-function.ts'
import { seededRandom } from '../../src/statistics/random/seeded-random.ts'
import { judge } from '../comparisons/compare-pairs.ts'

const nameOf = ({ world, n }: Pick<Cell, 'world' | 'n'>) => (n === null ? world : `${world}, ${n}`)

function missedBars(cell: MeasuredCell): string[] {
  return barsOf(cell)
    .filter(({ isMet }) => !isMet)
    .map(({ figure, value, bar }) => `${nameOf(cell)}: ${figure} is ${value.toFixed(1)} %, not ${bar}`)
}

describe('recorded simulations', () => {
  const recorded = readCells()

  it('have each world and size once', () => {
    expect(recorded.map(nameOf)).toEqual(CELLS.map(nameOf))
    expect(new Set(recorded.map(nameOf)).size).toBe(recorded.length)
  })

  it('meet their bars', () => {
    const missed = recorded.flatMap((cell, index) => {
      const { unit = 'items', coverageMax, earlyMin, isForInformation } = CELLS[index] ?? {}
      return missedBars({ ...cell, unit, coverageMax, earlyMin, isForInformation })
    })
    expect(missed).toEqual([])
  })

  it('cover more than 98 % only in the cells that are named with the reason', () => {
    const wide = recorded.filter(({ figures }) => (figures.coverage ?? 0) > COVERAGE_WIDE)
    expect(wide.map(nameOf).sort()).toEqual(WIDE_CELLS.map(nameOf).sort())
  })
})

describe('simulated worlds', () => {
  /** Samples that are enumerated need no part of them; large ones would need minutes. */
  const isQuick = (cell: Cell) => !('exact' in cell) || (cell.n ?? 0) <= 30

  it.each([...Map.groupBy(CELLS.filter(isQuick), ({ world }) => world)])(
    '%s meets its bars in a tenth of the samples',
    { tags: 'deep' },
    async (_, cells) => {
      const missed: string[] = []
      for (const cell of cells) missed.push(...missedBars(await measureCell(cell, 0.1)))
      expect(missed).toEqual([])
    },
  )

  it.each(WORLDS.map((world) => [world.name, world] as const))(
    '%s is decided as the rows of a comparison are',
    async (_, { name, kind, sizes, truth, sample }) => {
      for (let index = 0; index < 2; index += 1) {
        const drawn = sample(seededRandom(`${name} ${index}`), Math.min(...sizes))
        const groups = drawn.groups && new Map(drawn.values.itemIds.map((id, item) => [id, drawn.groups?.[item] ?? id]))
        const isRatio = kind === 'ratios'
        const metric = {
          kind: kind === 'yes/no' ? ('binary' as const) : ('numeric' as const),
          scale: isRatio ? null : SCALE,
          higherIsBetter: !isRatio,
          isRatio,
        }
        const groupOf = groups && ((itemId: string) => groups.get(itemId) ?? itemId)
        const row = judge(await compareMetric({ values: drawn.values }, { ...metric, groupOf }), metric)
        const { shown, safe, verdict } = compareSample(drawn, kind)
        expect(row.verdict).toBe(verdict)
        expect(row.test?.p).toBeCloseTo(pValue(shown), 9)
        const [interval, margins] = [isRatio ? row.ratioCi : row.ci, row.marginCi]
        const inUnit = isRatio ? Math.exp(-truth) : truth
        expect((interval?.[0] ?? NaN) <= inUnit && inUnit <= (interval?.[1] ?? NaN)).toBe(pValue(shown, truth) >= 0.05)
        const isPassed = isRatio ? (margins?.[1] ?? NaN) < inUnit : (margins?.[0] ?? NaN) > inUnit
        expect(isPassed).toBe(safe.below(truth) < 0.025)
      }
    },
  )
})
