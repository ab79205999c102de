import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleHelp, Lock, LockOpen, type LucideIcon } from 'lucide-react'
import type { EvaluationKey } from '../../api/components-query.ts'
import { caseCountsQuery } from '../../api/evaluation-query.ts'
import type { ComparedMetric, EvaluationDetail } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import type { Change } from '../../ui/charts/estimate.ts'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { countOf, formatDifference } from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { changeFormat, changeOf, marginLimit } from '../compare/metric-change.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { VerdictWord } from '../overview/verdict-words.tsx'
import { comparedMetric, type EvaluationResults, gateOf } from './evaluation-results.ts'
import type { OpenCases } from './use-evaluation-search.ts'

interface GateCardProps {
  evaluationKey: EvaluationKey
  evaluation: EvaluationDetail
  results: EvaluationResults
  names: { candidate: string; baseline: string | undefined }
  onOpenCases: OpenCases
}

/** Whether the change may pass, with the reason and the difference behind it; without a gate, the verdict of the comparison. */
export function GateCard({ evaluationKey, evaluation, results, names, onOpenCases }: GateCardProps) {
  const { comparison, gate } = results
  const config = gateOf(evaluation)
  const metric = comparedMetric(evaluation)
  const failing = useQuery({
    ...caseCountsQuery(evaluationKey, metric?.name ?? ''),
    enabled: metric !== undefined,
  })
  if (!comparison && !gate) return null
  const outcome = gate ? outcomeOf(gate) : undefined
  const look = outcome ? looks[outcome] : undefined
  const failingCount = failing.data?.notPassed ?? 0
  const { applicationId, componentId } = evaluationKey
  return (
    <section
      aria-labelledby="gate-title"
      className={`mt-6 grid items-center gap-x-8 gap-y-5 rounded-card border border-line border-l-[3px] bg-surface p-5 shadow-lift max-sm:p-4 rail:grid-cols-[minmax(0,1fr)_minmax(260px,340px)] ${look?.edge ?? 'border-l-line'}`}
    >
      <div className="flex min-w-0 gap-4">
        {look && (
          <span className={`grid size-10 shrink-0 place-items-center rounded-full max-sm:hidden ${look.badge}`}>
            <look.icon aria-hidden className="size-5" />
          </span>
        )}
        <div className="min-w-0">
          <h2 id="gate-title" className="font-display text-section font-semibold">
            {look ? look.title : `Compared with ${names.baseline ?? 'the baseline'}`}
          </h2>
          {comparison && !gate && (
            <p className="mt-1 text-data">
              <VerdictWord verdict={comparison.verdict} />
            </p>
          )}
          <p className="mt-1 max-w-[72ch] text-pretty wrap-anywhere text-soft">
            {withMetricTitles(gate?.summary ?? comparison?.summary ?? '')}
          </p>
          <div className="mt-3 flex flex-wrap gap-2 max-sm:flex-col">
            {metric && failingCount > 0 && (
              <Button look="primary" onClick={() => onOpenCases({ metric: metric.name, state: 'not_passed' })}>
                Open {countOf(failingCount, 'failing case')}
              </Button>
            )}
            {comparison && (
              <Link
                to={pagePaths.compare(applicationId, componentId)}
                search={comparedRuns(comparison, metric?.name)}
                className={buttonClass('secondary')}
              >
                <span className="truncate">Compare with {names.baseline ?? 'the baseline'}</span>
              </Link>
            )}
          </div>
        </div>
      </div>
      {metric && <ChangePlot metric={metric} name={names.candidate} gate={config} />}
    </section>
  )
}

interface ChangePlotProps {
  metric: ComparedMetric
  name: string
  gate: ReturnType<typeof gateOf>
}

function ChangePlot({ metric, name, gate }: ChangePlotProps) {
  const isCorrected = gate?.isCorrected === true && metric.corrected !== null
  const change = isCorrected ? ofPeople(metric) : ofGate(metric, gate)
  if (!change?.ci) return null
  const { kind, scale, higherIsBetter } = change
  const margin = gate && (gate.margin ?? defaultMargin(kind, scale))
  const limit = marginLimit({ kind, higherIsBetter }, margin)
  return (
    <IntervalPlot
      title={`${kind === 'ratio' ? 'Ratio' : 'Difference'} in ${metricTitle(metric.name)}`}
      note={higherIsBetter ? 'right is better' : 'left is better'}
      rows={[
        {
          label: name,
          series: isCorrected ? 'corrected' : 'candidate',
          estimate: toEstimate({ mean: change.value, ci: change.ci, n: metric.items }, ''),
        },
      ]}
      format={isCorrected ? formatDifference : changeFormat(metric)}
      change={kind}
      worse={higherIsBetter ? 'left' : 'right'}
      {...(limit !== undefined && { margin: limit })}
    />
  )
}

/** The difference that people would see. */
function ofPeople({ corrected }: ComparedMetric) {
  if (!corrected || corrected.difference === null) return undefined
  const { difference: value, ci, scale } = corrected
  return { kind: 'difference' as const, value, ci, scale, higherIsBetter: true }
}

/** With the interval that the margin is compared with, which results of older versions lack. */
function ofGate(metric: ComparedMetric, gate: ChangePlotProps['gate']) {
  const change = changeOf(metric)
  const { scale, higherIsBetter, marginCi } = metric
  return { ...change, ci: (gate && marginCi) ?? change.ci, scale, higherIsBetter }
}

const RATIO_MARGIN_DEFAULT = 1.1
const MARGIN_SHARE_DEFAULT = 0.05

/** Of a gate without a margin of its own. */
function defaultMargin(kind: Change, scale: readonly number[] | null): number | undefined {
  if (kind === 'ratio') return RATIO_MARGIN_DEFAULT
  const [from, to] = scale ?? []
  return from === undefined || to === undefined ? undefined : MARGIN_SHARE_DEFAULT * (to - from)
}

function comparedRuns(
  { baseline, candidate, split }: NonNullable<EvaluationResults['comparison']>,
  metric: string | undefined,
): Record<string, string> {
  return {
    base: baseline.runId,
    cand: candidate.runId,
    ...(metric !== undefined && { metric }),
    ...(split && { split }),
  }
}

type Outcome = 'passed' | 'shut' | 'undecided'

function outcomeOf({ passed, summary }: { passed: boolean; summary: string }): Outcome {
  if (passed) return 'passed'
  return summary.startsWith('Cannot decide') ? 'undecided' : 'shut'
}

const looks: Record<Outcome, { title: string; icon: LucideIcon; edge: string; badge: string }> = {
  passed: { title: 'The gate is open', icon: LockOpen, edge: 'border-l-good', badge: 'bg-good-wash text-good' },
  shut: { title: 'The gate is shut', icon: Lock, edge: 'border-l-danger', badge: 'bg-danger-wash text-danger' },
  undecided: {
    title: 'The gate cannot decide',
    icon: CircleHelp,
    edge: 'border-l-warn',
    badge: 'bg-warn-wash text-warn',
  },
}
