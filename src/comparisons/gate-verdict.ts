import type { ComparedMetric } from './metric-verdicts.ts'
import { independentUnits, isNotWorse, MARGIN_ITEMS_MIN } from './verdict.ts'
import { formatNumber } from './verdict-summary.ts'

export type Gate = { metric: string; margin?: number | undefined }

type GateInput = {
  readonly metrics: readonly ComparedMetric[]
  readonly notCompared: readonly { readonly name: string; readonly reason: string }[]
}

/**
 * Decides whether a change passes the gate. With a margin, the change must be shown to be not worse by more than the
 * margin; a lack of evidence is not sufficient. Without a margin, the change passes unless it is shown to be worse. The
 * gate fails if no decision is possible.
 */
export function decideGate(
  comparison: GateInput,
  { metric: name, margin }: Gate,
): { passed: boolean; summary: string } {
  const metric = comparison.metrics.find((one) => one.name === name)
  if (!metric) {
    const reason = comparison.notCompared.find((one) => one.name === name)?.reason ?? 'neither run has it'
    return { passed: false, summary: `Cannot decide: ${name} is not compared (${reason}).` }
  }
  const { passed, summary } = decideMetric(metric, margin)
  return { passed, summary: metric.warning === null ? summary : `${summary} ${metric.warning}` }
}

function decideMetric(metric: ComparedMetric, margin: number | undefined): { passed: boolean; summary: string } {
  if (metric.verdict === 'tooFewCases') return { passed: false, summary: `Cannot decide: ${metric.summary}` }
  return margin === undefined ? gateByVerdict(metric) : gateByMargin(metric, margin)
}

function gateByVerdict({ verdict, summary }: ComparedMetric): { passed: boolean; summary: string } {
  if (verdict === 'regressed') return { passed: false, summary: `Not passed: ${summary}` }
  return { passed: true, summary: `Passed: ${summary}` }
}

function gateByMargin(metric: ComparedMetric, margin: number): { passed: boolean; summary: string } {
  const { name, summary } = metric
  const amount = formatNumber(margin)
  if (isNotWorse(metric, margin)) {
    return { passed: true, summary: `Passed: ${name} is not worse than the margin of ${amount}. ${summary}` }
  }
  // The summary contains the number of items that are needed.
  if (independentUnits(metric) < MARGIN_ITEMS_MIN) return { passed: false, summary: `Cannot decide: ${summary}` }
  return { passed: false, summary: `Not passed: ${name} may be worse by more than ${amount}. ${summary}` }
}
