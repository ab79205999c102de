import type { EvaluationReport, ReportCase } from './evaluation-report.ts'
import { METRIC_COLUMNS, metricCells, OUTCOME_TITLES } from './format-metric.ts'

const TEXT_LENGTH = 200
const ICONS = { passed: '✅', worse: '❌', cannotDecide: '⚠️', noGate: 'ℹ️' }

/** For the summary of a job. Stored text cannot add links, images, mentions or HTML. */
export function markdownReport(report: EvaluationReport): string {
  const { outcome, summary, evaluation, metrics, turned, warnings } = report
  const title = evaluation.name ? `: ${markdownText(evaluation.name)}` : ''
  return [
    `### ${ICONS[outcome]} ${OUTCOME_TITLES[outcome]}${title}`,
    '',
    markdownText(summary),
    '',
    ...(metrics.length > 0 ? metricTable(report) : []),
    ...(turned.length > 0 ? turnedTable(turned) : []),
    ...warnings.flatMap((warning) => [`> ${markdownText(warning)}`, '']),
    `[Evaluation](${evaluation.url})`,
    '',
  ].join('\n')
}

/** The same with a first line that does not show, by which a script finds the comment that it wrote before. */
export function markdownComment(report: EvaluationReport, project: string): string {
  const id = Buffer.from(project).toString('base64url')
  return `<!-- touchstone:${id} -->\n${markdownReport(report)}`
}

function metricTable({ metrics }: EvaluationReport): string[] {
  return [
    row(METRIC_COLUMNS),
    row(METRIC_COLUMNS.map((_, place) => (place === 0 || place === METRIC_COLUMNS.length - 1 ? '---' : '---:'))),
    ...metrics.map((metric) => row(metricCells(metric).map(markdownText))),
    '',
  ]
}

function turnedTable(turned: ReportCase[]): string[] {
  return [
    '**Turned from pass to fail**',
    '',
    row(['input', 'expected', 'baseline', 'candidate']),
    row(['---', '---', '---', '---']),
    ...turned.map((one) =>
      row(
        [one.name, one.expected, one.baselineOutput, one.candidateOutput].map((text) => markdownText(cut(text ?? ''))),
      ),
    ),
    '',
  ]
}

function row(cells: string[]): string {
  return `| ${cells.join(' | ')} |`
}

function cut(text: string): string {
  const characters = [...text]
  return characters.length > TEXT_LENGTH ? `${characters.slice(0, TEXT_LENGTH).join('')}…` : text
}

/** Text as it is, on one line: everything that has a meaning in Markdown or HTML is a reference. Parentheses have one only after brackets. */
export function markdownText(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters and line breaks must not reach the table
      .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
      .replace(/[&<>"'`*_~#|[\]!\\@{}]|:(?=\/\/)|\bwww\./g, (found) =>
        [...found].map((character) => `&#${character.codePointAt(0)};`).join(''),
      )
  )
}
