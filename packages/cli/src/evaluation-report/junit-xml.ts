/** JUnit XML: the gate is a test case, and so is each case, which fails only if it turned from pass to fail. */
import type { EvaluationReport, ReportCase } from './evaluation-report.ts'

interface ReportWithCases {
  report: EvaluationReport
  cases: readonly ReportCase[]
}

export function junitXml(report: EvaluationReport, cases: readonly ReportCase[]): string {
  return junitXmlOfAll([{ report, cases }])
}

/** Of several evaluations, each with its gate. */
export function junitXmlOfAll(all: readonly ReportWithCases[]): string {
  const suites = all.flatMap((one) => suitesOf(one, all.length === 1 ? 'gate' : `gate of ${titleOf(one.report)}`))
  const sum = (field: 'tests' | 'failures' | 'skipped') => suites.reduce((total, suite) => total + suite[field], 0)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="touchstone" tests="${sum('tests')}" failures="${sum('failures')}" errors="0" skipped="${sum('skipped')}">`,
    ...suites.flatMap(({ name, tests, failures, skipped, lines }) => [
      `  <testsuite name="${attribute(name)}" tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}">`,
      ...lines,
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
}

interface Suite {
  name: string
  tests: number
  failures: number
  skipped: number
  lines: string[]
}

function suitesOf({ report, cases }: ReportWithCases, gateName: string): Suite[] {
  const { evaluation, gate } = report
  const title = titleOf(report)
  const ofCases: Suite = {
    name: title,
    tests: cases.length,
    failures: cases.filter(({ state }) => state === 'turned').length,
    skipped: cases.filter(({ state }) => state === 'missing').length,
    lines: [
      `    <properties><property name="url" value="${attribute(evaluation.url)}"/></properties>`,
      ...cases.map((one) => caseXml(one, title)),
    ],
  }
  if (!gate) return [ofCases]
  const ofGate = { name: gateName, tests: 1, failures: gate.passed ? 0 : 1, skipped: 0 }
  return [{ ...ofGate, lines: [gateCase(report, gate)] }, ofCases]
}

function titleOf({ evaluation }: EvaluationReport): string {
  return evaluation.name ?? evaluation.id
}

function gateCase({ outcome, metrics }: EvaluationReport, gate: NonNullable<EvaluationReport['gate']>): string {
  const isRatio = metrics.some(({ name, ratio }) => name === gate.metric && ratio !== null)
  const margin = gate.margin === null ? '' : ` of ${gate.margin}${isRatio ? ' ×' : ''}`
  const name = `${gate.metric} is not worse by more than the margin${margin}`
  const start = `    <testcase classname="gate" name="${attribute(name)}"`
  if (gate.passed) return `${start}/>`
  return `${start}><failure type="${outcome}" message="${attribute(gate.summary)}"/></testcase>`
}

function caseXml(one: ReportCase, title: string): string {
  const start = `    <testcase classname="${attribute(title)}" name="${attribute(one.name)}"`
  if (one.state === 'unchanged') return `${start}/>`
  if (one.state === 'missing') return `${start}><skipped message="Only one of the runs has a trace."/></testcase>`
  const message = `Turned from pass to fail on ${one.turnedOn.join(', ')}`
  const details = [
    ['Input', one.input],
    ['Expected', one.expected],
    ['Baseline', one.baselineOutput],
    ['Candidate', one.candidateOutput],
    ['Reason', one.reason],
  ].flatMap(([label, text]) => (text === null ? [] : [`${label}: ${text}`]))
  return `${start}><failure type="turned" message="${attribute(message)}">${content(details.join('\n\n'))}</failure></testcase>`
}

function attribute(text: string): string {
  return content(text)
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\r', '&#13;')
    .replaceAll('\t', '&#9;')
}

/** Characters that XML 1.0 does not allow, not even as references, become U+FFFD. `>` is escaped too: `]]>` must not occur in text. */
function content(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is replaced
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
  )
}
