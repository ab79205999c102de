/**
 * Draws bench/recorded.json: every line that has a bar, relative to it.
 *
 * Usage: node bench/plot.ts [--check]
 *
 * --check  exits with 1 if the plot is not that of the recorded figures
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawRatios } from './harness/draw-ratios.ts'
import { readRecorded } from './harness/recorded-figures.ts'

const NAME = 'docs/screenshots/benchmarks.svg'
const FILE = join(import.meta.dirname, '..', NAME)

export function writePlot(): void {
  writeFileSync(FILE, drawRatios(readRecorded()))
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) writePlot()
  else if (!existsSync(FILE) || readFileSync(FILE, 'utf8') !== drawRatios(readRecorded())) {
    console.error(`${NAME} is stale; run \`npm run bench:plot\``)
    process.exitCode = 1
  }
}
