import { Link } from '@tanstack/react-router'
import type { DeploymentCheck, DeploymentEvidence } from '../../api/generated/api.ts'
import type { ComponentKey } from '../../api/prompts-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { formatInterval } from '../../ui/charts/estimate.ts'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { countOf, formatCount, formatPercent } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { betterSide, changeEstimate, changeFormat, changeOf, marginLimit } from '../compare/metric-change.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { formatTime } from '../runs/run-title.ts'
import { asMetric } from './evidence-metric.ts'
import { OtherMetrics } from './other-metrics.tsx'
import { VerdictHeadline } from './verdict-headline.tsx'

interface DeployVerdictProps {
  component: ComponentKey
  evidence: DeploymentEvidence
  metrics: DeploymentCheck['metrics']
  warnings: string[]
  /** Undefined until it is known which side of the plot is worse. */
  higherIsBetter: boolean | undefined
}

/** What the move rests on: the comparison of the version with what is served most, also if it opens nothing. */
export function DeployVerdict({ component, evidence, metrics, warnings, higherIsBetter }: DeployVerdictProps) {
  const { baseline, candidate, dataset, metric, margin, items } = evidence
  const measured = asMetric(evidence)
  const { kind, value, ci } = changeOf(evidence)
  const format = changeFormat(measured)
  const limit = higherIsBetter === undefined ? undefined : marginLimit({ kind, higherIsBetter }, margin)
  const side = higherIsBetter === undefined ? undefined : betterSide(higherIsBetter)
  const [low, high] = ci ?? []
  const evaluatedAt = [baseline, candidate].flatMap((one) => one.evaluatedAt ?? []).sort()[0]
  return (
    <section aria-label="Verdict" className="border-t border-line px-6 py-5 max-sm:px-4">
      <div className="grid items-start gap-x-8 gap-y-4 md:grid-cols-[minmax(0,9fr)_minmax(0,11fr)]">
        <div className="min-w-0">
          <VerdictHeadline evidence={evidence} amount={amountOf(value, kind, format)} />
          <p className="mt-2 text-soft text-pretty tabular-nums">
            {low !== undefined &&
              high !== undefined &&
              `${formatPercent(evidence.confidence ?? 0.95)} CI ${formatInterval({ low, high }, format)}, `}
            {countOf(items, 'item')}. {countsText(evidence)} {looksText(evidence)}
          </p>
          <p className="mt-2 text-meta text-faint text-pretty">
            {baseline.runName ?? `A run of v${baseline.version}`} and {candidate.runName ?? `of v${candidate.version}`}{' '}
            on {dataset.name}
            {evaluatedAt && `, evaluated ${formatTime(evaluatedAt)}`}
            {' · '}
            <Link
              to={pagePaths.compare(component.applicationId, component.componentId)}
              search={{ base: baseline.runId, cand: [candidate.runId], metric, margin: String(margin) }}
              className="touch-link text-ink underline underline-offset-4"
            >
              Compare item by item
            </Link>
          </p>
        </div>
        <div className="min-w-0">
          <IntervalPlot
            title={`${kind === 'ratio' ? 'Ratio' : 'Difference'} on ${metricTitle(metric)}`}
            {...(side && { note: side.note, worse: side.worse })}
            rows={[
              {
                label: `v${candidate.version} − v${baseline.version}`.replace('−', kind === 'ratio' ? ':' : '−'),
                series: 'candidate',
                estimate: changeEstimate(measured, `No interval, n ${formatCount(items)}`),
              },
              ...widerRow(evidence),
            ]}
            format={format}
            change={kind}
            {...(limit !== undefined && { margin: limit })}
          />
          {limit !== undefined && (
            <p className="mt-2 flex items-center gap-2 text-meta text-soft">
              <span aria-hidden className="w-5 shrink-0 border-t-2 border-dashed border-gold" />
              <span>
                margin {format(limit)}: {side?.worse} of it the label is shut{onMarginText(evidence, { limit, format })}
              </span>
            </p>
          )}
        </div>
      </div>
      {warnings.map((warning) => (
        <p key={warning} className="mt-3 text-data text-pretty text-warn">
          {warning}
        </p>
      ))}
      <OtherMetrics metrics={metrics} />
    </section>
  )
}

function amountOf(value: number | null, kind: 'difference' | 'ratio', format: (value: number) => string): string {
  if (value === null) return ''
  return kind === 'ratio' ? format(value) : format(Math.abs(value)).replace('+', '')
}

/** Wider than what was measured: it allows for a breakage that this number of items can hide. The margin is compared with this one. */
function widerRow({ marginCi, ci, ratioCi, difference, ratio, items }: DeploymentEvidence) {
  const [low, high] = marginCi ?? []
  const [from, to] = (ratio === null ? ci : ratioCi) ?? []
  if (low === undefined || (low === from && high === to)) return []
  const estimate = toEstimate({ mean: ratio ?? difference, ci: marginCi, n: items }, '')
  return [{ label: 'For the margin', series: 'candidate' as const, estimate }]
}

/** Where the decisive end is written as the margin is, the numbers do not show on which side it is. */
function onMarginText(
  { marginCi, passed }: DeploymentEvidence,
  { limit, format }: { limit: number; format: (value: number) => string },
): string {
  const isOn = marginCi?.some((end) => format(end) === format(limit)) ?? false
  return isOn ? `. The interval ends on the margin, ${passed ? 'inside' : 'outside'} of it.` : ''
}

/** `32 items got better, 10 worse, 158 are the same.` */
function countsText({ wins, ties, losses }: DeploymentEvidence): string {
  if (wins === null || ties === null || losses === null) return ''
  return `${countOf(wins, 'item')} got better, ${formatCount(losses)} worse, ${formatCount(ties)} ${ties === 1 ? 'is' : 'are'} the same.`
}

function looksText({ looks, rule }: DeploymentEvidence): string {
  if (looks <= 1) return ''
  const times = looks === 2 ? 'twice' : `${formatCount(looks)} times`
  return rule === 'single' ? `It was looked at ${times}.` : `Valid although it was looked at ${times}.`
}
