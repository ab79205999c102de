import { appendFileSync, writeFileSync } from 'node:fs'
import type { TrialDetail } from 'touchstone-sdk'
import type { Touchstone } from 'touchstone-sdk/client'
import type { CliContext } from '../cli-context.ts'
import type { ReportCase } from '../evaluation-report/evaluation-report.ts'
import { OUTCOME_TITLES, verdictText } from '../evaluation-report/format-metric.ts'
import { junitXmlOfAll } from '../evaluation-report/junit-xml.ts'
import { markdownReport, markdownText } from '../evaluation-report/markdown-report.ts'
import { printReport } from '../evaluation-report/print-report.ts'
import { readCases } from '../evaluation-report/read-cases.ts'
import { escapeLine, printableJson } from '../output/escape-text.ts'
import { printTable } from '../output/print-table.ts'
import type { TrialReport } from './trial-report.ts'

interface Outputs {
  json?: boolean
  junit?: string
  summary?: boolean
}

export async function writeTrialReport(
  context: CliContext,
  client: Touchstone,
  { json, junit, summary }: Outputs,
  report: TrialReport,
): Promise<void> {
  const { terminal, env } = context
  if (junit !== undefined) {
    const all: Parameters<typeof junitXmlOfAll>[0][number][] = []
    for (const { report: evaluation, runs } of report.compared) {
      const cases: ReportCase[] = []
      for await (const one of readCases(client, runs)) cases.push(one)
      all.push({ report: evaluation, cases })
    }
    writeFileSync(junit, junitXmlOfAll(all))
  }
  const summaryFile = env['GITHUB_STEP_SUMMARY']
  if (summary && summaryFile) appendFileSync(summaryFile, markdownOf(report))
  if (json) terminal.data(`${printableJson(jsonOf(report))}\n`)
  else if (summary && !summaryFile) terminal.data(markdownOf(report))
  else printTrial(context, report)
}

/** The trial as the API returns it, with the outcome and the reports of the evaluations. */
function jsonOf({ outcome, trial, compared }: TrialReport) {
  return { outcome, ...trial, reports: compared.map(({ report }) => report) }
}

const COLUMNS = ['variant', 'done', 'failed', 'cost (USD)', 'duration', 'verdict']

function cellsOf(variant: TrialDetail['variants'][number], { plan }: TrialDetail): string[] {
  const { name, done, failed, skipped, costUsd, durationMs, comparison } = variant
  return [
    name,
    String(done),
    skipped > 0 ? `${failed} (${skipped} skipped)` : String(failed),
    costUsd === 0 ? '0' : String(Number(costUsd.toPrecision(3))),
    durationMs === null ? '' : `${(durationMs.median / 1000).toFixed(2)} s`,
    name === plan.baseline ? 'baseline' : comparison ? verdictText(comparison.verdict) : '',
  ]
}

/** The cost of the variants is without them. Servers of earlier versions do not report it. */
function judgesText({ cost: { judgesUsd = 0 } }: TrialDetail): string | undefined {
  return judgesUsd > 0 ? `The judges of the evaluations cost ${Number(judgesUsd.toPrecision(3))} USD.` : undefined
}

/** Why there is no verdict, or what it says. */
function summaryOf({ reason, comparison }: TrialDetail['variants'][number]): string {
  return reason ?? comparison?.summary ?? ''
}

function printTrial(context: CliContext, { trial, compared }: TrialReport): void {
  const { terminal } = context
  const line = (text = '') => terminal.data(`${text}\n`)
  const { variants, ranking } = trial
  // A table that is cut to fit would lose the summaries.
  if (terminal.isTerminal) {
    printTable(
      terminal,
      COLUMNS,
      variants.map((variant) => cellsOf(variant, trial)),
    )
    for (const variant of variants) if (summaryOf(variant)) line(escapeLine(`${variant.name}: ${summaryOf(variant)}`))
  } else {
    const rows = variants.map((variant) => [...cellsOf(variant, trial), summaryOf(variant)])
    printTable(terminal, [...COLUMNS, 'summary'], rows)
  }
  const judges = judgesText(trial)
  if (judges) line(judges)
  if (ranking) line(escapeLine(ranking.summary))
  for (const { report } of compared) {
    line()
    if (report.evaluation.name !== null) line(terminal.paint('bold', escapeLine(report.evaluation.name)))
    printReport(context, report)
  }
}

function markdownOf({ outcome, trial, compared }: TrialReport): string {
  const row = (cells: string[]) => `| ${cells.map(markdownText).join(' | ')} |`
  const { variants, ranking, name, error } = trial
  return [
    `## ${OUTCOME_TITLES[outcome]}${name === null ? '' : `: ${markdownText(name)}`}`,
    '',
    row([...COLUMNS, 'summary']),
    `|${' --- |'.repeat(COLUMNS.length + 1)}`,
    ...variants.map((variant) => row([...cellsOf(variant, trial), summaryOf(variant)])),
    '',
    ...[error, judgesText(trial), ranking?.summary].flatMap((text) => (text ? [markdownText(text), ''] : [])),
    ...compared.map(({ report }) => markdownReport(report)),
  ].join('\n')
}
