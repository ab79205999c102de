import type { CliContext } from '../cli-context.ts'
import { escapeLine } from '../output/escape-text.ts'
import { printTable } from '../output/print-table.ts'
import { type EvaluationReport, TURNED_MAX } from './evaluation-report.ts'
import { METRIC_COLUMNS, metricCells, metricLine, OUTCOME_TITLES } from './format-metric.ts'

const COLORS = { passed: 'green', worse: 'red', cannotDecide: 'yellow', noGate: 'bold' } as const

export function printReport({ terminal }: CliContext, report: EvaluationReport): void {
  const { outcome, summary, metrics, turned, evaluation, progress, warnings } = report
  const line = (text = '') => terminal.data(`${text}\n`)
  line(terminal.paint(COLORS[outcome], OUTCOME_TITLES[outcome]))
  line(escapeLine(summary))
  line()
  if (metrics.length > 0) {
    // A table that is cut to fit would lose the intervals.
    if (terminal.isTerminal) for (const metric of metrics) line(escapeLine(metricLine(metric)))
    else printTable(terminal, METRIC_COLUMNS, metrics.map(metricCells))
    line()
  }
  if (turned.length > 0) {
    line(`Turned from pass to fail (${turned.length < TURNED_MAX ? turned.length : `the ${TURNED_MAX} worst`}):`)
    for (const { name, expected, baselineOutput, candidateOutput } of turned) {
      line(`  ${escapeLine(name)}`)
      for (const [label, text] of Object.entries({ expected, baseline: baselineOutput, candidate: candidateOutput })) {
        if (text !== null) line(`    ${terminal.paint('dim', label.padEnd(9))}  ${escapeLine(text.slice(0, 200))}`)
      }
    }
    line()
  }
  for (const warning of warnings) line(`Note: ${escapeLine(warning)}`)
  const { total, done, failed, skipped } = progress
  line(`${done} of ${total} scores, ${failed} failed, ${skipped} skipped`)
  line(evaluation.url)
}
