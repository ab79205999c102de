import { appendFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Touchstone } from 'touchstone-sdk/client'
import type { CliContext } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { escapeLine, printableJson } from '../output/escape-text.ts'
import type { EvaluationReport, ReportCase } from './evaluation-report.ts'
import { githubAnnotations } from './github-annotations.ts'
import { junitXml } from './junit-xml.ts'
import { markdownComment, markdownReport } from './markdown-report.ts'
import { printReport } from './print-report.ts'
import { type ComparedRuns, readCases } from './read-cases.ts'

export interface OutputFlags {
  json?: boolean
  junit?: string
  summary?: boolean
  annotations?: boolean
  comment?: string
  report?: string
}

/** What cannot be written is found before an evaluation has cost anything. */
export function checkOutputs({ env }: CliContext, flags: OutputFlags, hasComparison: boolean): void {
  for (const file of [flags.junit, flags.comment, flags.report]) {
    if (file !== undefined && !isFolder(dirname(file)))
      throw new CliError(`The folder of ${file} does not exist.`, EXIT.usage)
  }
  if (flags.report !== undefined && !hasComparison) {
    throw new CliError('--report is the report of a comparison: it needs a run and a baseline.', EXIT.usage)
  }
  if (flags.summary && flags.json && !env['GITHUB_STEP_SUMMARY']) {
    throw new CliError(
      '--summary and --json would both be printed: set GITHUB_STEP_SUMMARY to a file, or use one.',
      EXIT.usage,
    )
  }
}

interface Written {
  report: EvaluationReport
  /** Undefined without a baseline. */
  runs: ComparedRuns | undefined
  project: string
}

export async function writeOutputs(
  context: CliContext,
  client: Touchstone,
  flags: OutputFlags,
  { report, runs, project }: Written,
): Promise<void> {
  const { terminal, env } = context
  if (flags.junit !== undefined) {
    const cases: ReportCase[] = []
    if (runs) for await (const one of readCases(client, runs)) cases.push(one)
    writeFileSync(flags.junit, junitXml(report, cases))
  }
  if (flags.comment !== undefined) writeFileSync(flags.comment, markdownComment(report, project))
  if (flags.report !== undefined && runs) writeFileSync(flags.report, await downloadReport(client, runs, report))
  const summaryFile = env['GITHUB_STEP_SUMMARY']
  if (flags.summary && summaryFile) appendFileSync(summaryFile, markdownReport(report))
  if (flags.json) terminal.data(`${printableJson(report)}\n`)
  else if (flags.summary && !summaryFile) terminal.data(markdownReport(report))
  else printReport(context, report)
  if (flags.annotations) printAnnotations(context, flags, report)
}

/** On stdout, where GitHub reads them; not if JSON is printed there. */
function printAnnotations({ terminal }: CliContext, { json }: OutputFlags, report: EvaluationReport): void {
  for (const line of githubAnnotations(report)) {
    if (json) terminal.message(line)
    else terminal.data(`${escapeLine(line)}\n`)
  }
}

async function downloadReport(client: Touchstone, runs: ComparedRuns, { gate }: EvaluationReport): Promise<string> {
  const { componentId, baseline, candidate, metric, split, signal } = runs
  const query = {
    baseline,
    candidate,
    ...(metric !== undefined && { metric }),
    ...(gate?.margin != null && { margin: gate.margin }),
    ...(split && { split }),
  }
  const path = '/components/{componentId}/comparisons/report'
  return String(await client.request('GET', path, { params: { componentId }, query, signal }))
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
