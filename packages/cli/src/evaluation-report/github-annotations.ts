import type { EvaluationReport } from './evaluation-report.ts'
import { OUTCOME_TITLES } from './format-metric.ts'

/** GitHub shows ten of a step and drops the others. */
const LINES_MAX = 10

/** Workflow commands: the gate, then the cases that turned from pass to fail. */
export function githubAnnotations({ outcome, summary, gate, turned }: EvaluationReport): string[] {
  const lines = turned.map(({ name, turnedOn }) =>
    command('warning', 'Turned from pass to fail', `${turnedOn.join(', ')}: ${name}`),
  )
  if (gate && outcome !== 'passed') {
    lines.unshift(command(outcome === 'worse' ? 'error' : 'warning', OUTCOME_TITLES[outcome], summary))
  }
  return lines.slice(0, LINES_MAX)
}

/** Text of a dataset must not be able to end the command and begin another one. */
function command(level: 'error' | 'warning', title: string, message: string): string {
  return `::${level} title=${escapeData(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escapeData(message)}`
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
