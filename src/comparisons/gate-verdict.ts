import type { ComparedMetric } from './judge-metrics.ts'
import { isNotWorse, MARGIN_ITEMS_MIN } from './verdict.ts'
import { plainNumber } from './verdict-summary.ts'

export type Gate = { metric: string; margin?: number | undefined }

type Gated = {
  readonly metrics: readonly ComparedMetric[]
  readonly notCompared: readonly { readonly name: string; readonly reason: string }[]
}

/**
 * Whether a change may pass. With a margin it must be shown to be not worse by more than that, which a mere lack of evidence does
 * not do. Without one it passes unless it is shown to be worse. Whatever cannot be told does not pass: a gate that opens
 * because nobody measured is no gate.
 */
export function gateOf(comparison: Gated, { metric: name, margin }: Gate): { passed: boolean; sentence: string } {
  const metric = comparison.metrics.find((one) => one.name === name)
  if (!metric) {
    const reason = comparison.notCompared.find((one) => one.name === name)?.reason ?? 'neither run has it'
    return { passed: false, sentence: `Cannot tell: ${name} is not compared (${reason}).` }
  }
  const { passed, sentence } = decisionOn(metric, margin)
  return { passed, sentence: metric.warning === null ? sentence : `${sentence} ${metric.warning}` }
}

function decisionOn(metric: ComparedMetric, margin: number | undefined): { passed: boolean; sentence: string } {
  if (metric.verdict === 'tooFewCases') return { passed: false, sentence: `Cannot tell: ${metric.sentence}` }
  return margin === undefined ? againstVerdict(metric) : againstMargin(metric, margin)
}

function againstVerdict({ verdict, sentence }: ComparedMetric): { passed: boolean; sentence: string } {
  if (verdict === 'regressed') return { passed: false, sentence: `Not passed: ${sentence}` }
  return { passed: true, sentence: `Passed: ${sentence}` }
}

function againstMargin(metric: ComparedMetric, margin: number): { passed: boolean; sentence: string } {
  const { name, sentence } = metric
  const amount = plainNumber(margin)
  if (isNotWorse(metric, margin)) {
    return { passed: true, sentence: `Passed: ${name} is not worse than the margin of ${amount}. ${sentence}` }
  }
  // Its sentence says how many it takes.
  if (metric.items < MARGIN_ITEMS_MIN) return { passed: false, sentence: `Cannot tell: ${sentence}` }
  return { passed: false, sentence: `Not passed: ${name} may be worse by more than ${amount}. ${sentence}` }
}
