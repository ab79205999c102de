/** `bench/statistics/recorded-cells.md`: the figures of the last recorded simulation, one row per world and size. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIGURES, type Figures, type MeasuredCell } from './simulated-cell.ts'

const FILE = join(import.meta.dirname, 'recorded-cells.md')

type RecordedCell = Pick<MeasuredCell, 'world' | 'n' | 'samples' | 'figures'>

const HEAD = `# Recorded simulations

Written by \`node bench/run.ts --record statistics-coverage\`. Figures are percentages; their meaning is in \`simulated-cell.ts\`, what they must reach in
\`bars.ts\`, and why some cover more than 98 % in \`wide-intervals.ts\`. Without a number of samples, all were enumerated.

`

export function writeCells(cells: readonly RecordedCell[]): void {
  const rows = cells.map(({ world, n, samples, figures }) => [
    world,
    n ?? '',
    samples ?? '',
    ...FIGURES.map((figure) => figures[figure]?.toFixed(1) ?? ''),
  ])
  const table = [
    ['world', 'n', 'samples', ...FIGURES],
    Array.from({ length: FIGURES.length + 3 }, () => '---'),
    ...rows,
  ]
  writeFileSync(FILE, `${HEAD}${table.map((row) => `| ${row.join(' | ')} |\n`).join('')}`)
}

export function readCells(): RecordedCell[] {
  const rows = readFileSync(FILE, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
  return rows.slice(2).map((row) => {
    const [world = '', n, samples, ...values] = row
      .split('|')
      .slice(1, -1)
      .map((value) => value.trim())
    const figures: Figures = {}
    for (const [index, figure] of FIGURES.entries()) if (values[index]) figures[figure] = Number(values[index])
    return { world, n: n ? Number(n) : null, samples: samples ? Number(samples) : null, figures }
  })
}
