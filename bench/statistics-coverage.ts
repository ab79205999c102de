/**
 * Measures in known worlds how often intervals contain the true value, verdicts and gates are wrong, and differences are
 * found, and compares the last with the best simple test. Samples are seeded: if a figure changes, the code has changed.
 */

import type { Effort } from './harness/compare.ts'
import type { Line } from './harness/line.ts'
import { AGREEMENT } from './statistics/agreement-worlds.ts'
import { barsOf } from './statistics/bars.ts'
import { CORRECTED, DETECTABLE, MISSING } from './statistics/corrected-worlds.ts'
import { ENUMERATED } from './statistics/enumerated-rates.ts'
import { EVALUATION_SETTINGS } from './statistics/evaluations-settings.ts'
import { GROUP_SETTINGS } from './statistics/groups-settings.ts'
import { METHOD_SETTINGS } from './statistics/methods-settings.ts'
import { writeCells } from './statistics/recorded-cells.ts'
import { REPEATED } from './statistics/repeated-decisions.ts'
import { type Cell, FIGURES, type MeasuredCell, measureCell, settingCell } from './statistics/simulated-cell.ts'
import { TRIALS } from './statistics/trial-worlds.ts'
import { whyWide } from './statistics/wide-intervals.ts'
import { cellsOf, WORLDS } from './statistics/worlds.ts'

export const CELLS: Cell[] = [
  ...ENUMERATED,
  ...WORLDS.flatMap(cellsOf),
  ...REPEATED,
  ...CORRECTED,
  ...MISSING,
  ...DETECTABLE,
  ...AGREEMENT,
  ...TRIALS,
  ...[...METHOD_SETTINGS, ...EVALUATION_SETTINGS, ...GROUP_SETTINGS].map(settingCell),
]

export async function* measureStatisticsCoverage(
  _servers: unknown,
  { share, isRecorded }: Effort,
): AsyncGenerator<Line> {
  const measured: MeasuredCell[] = []
  for (const cell of CELLS) {
    const one = await measureCell(cell, share)
    measured.push(one)
    yield* linesOf(one)
  }
  if (isRecorded) writeCells(measured)
}

function* linesOf(cell: MeasuredCell): Generator<Line> {
  const { world, n, unit, samples, figures } = cell
  const bars = barsOf(cell)
  for (const figure of FIGURES) {
    const value = figures[figure]
    if (value === undefined) continue
    const bar = bars.find((one) => one.figure === figure)
    const isMet = bars.every((one) => one.figure !== figure || one.isMet)
    yield {
      name: `${world}${n === null ? '' : `, ${n} ${unit}`}: ${figure}`,
      value: `${value.toFixed(1)} %`,
      ...(bar && { bar: bar.bar, isMet }),
      detail: [
        samples === null ? 'enumerated' : `${samples} samples`,
        bar?.known,
        figure === 'coverage' && whyWide(cell),
      ]
        .filter(Boolean)
        .join('; '),
    }
  }
}
