import { Link } from '@tanstack/react-router'
import type { ComparedMetric, TrialDetail } from '../../api/generated/api.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Badge } from '../../ui/badge.tsx'
import {
  countOf,
  formatCost,
  formatCount,
  formatDifference,
  formatDuration,
  formatSmallCost,
} from '../../ui/format-number.ts'
import { metricTitle, withMetricTitles } from '../../ui/metric-words.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { VerdictMark } from '../compare/verdict-mark.tsx'
import { QualityCell, qualityScale } from './quality-cell.tsx'
import { isOpen, markPlaces, targetText, type Variant, waitingCalls, withoutTrialName } from './trial-words.ts'
import { VariantMark } from './variant-mark.tsx'

interface VariantTableProps {
  trialKey: TrialKey
  trial: TrialDetail
}

const linkClass = 'touch-link rounded-sm underline decoration-edge underline-offset-3 hover:decoration-ink'

/** What each variant did and cost, and how it did against the baseline. The baseline is first, then the best one. */
export function VariantTable({ trialKey, trial }: VariantTableProps) {
  const { plan, ranking } = trial
  const rows = inOrder(trial)
  const places = markPlaces(trial)
  const placeOf = ({ name }: Variant) => places.get(name) ?? -1
  const scale = qualityScale(trial)
  const columns: Column<Variant>[] = [
    {
      title: 'Variant',
      isRowHeader: true,
      cell: (variant) => (
        <>
          <VariantMark place={placeOf(variant)} />
          <bdi className="font-semibold">{variant.name}</bdi>{' '}
          {variant.name === plan.baseline && <Badge>baseline</Badge>}
          {variant.name === ranking?.best && <Badge tone="gold">ranked first</Badge>}
          <span className="block text-meta text-soft">{targetText(variant)}</span>
          {variant.reason && (
            <span className={`mt-1 block text-meta ${variant.endedBy ? 'text-soft' : 'text-danger'}`}>
              {variant.endedBy ? variant.reason : `Stopped. ${variant.reason}`}
            </span>
          )}
          <ResultLinks trialKey={trialKey} variant={variant} />
        </>
      ),
    },
    ...(scale && ranking
      ? [
          {
            title: `${metricTitle(ranking.metric)}, 95\u202f% CI`,
            cell: (variant: Variant) => (
              <QualityCell
                variant={variant}
                place={placeOf(variant)}
                scale={scale}
                isBest={variant.name === ranking.best}
              />
            ),
          },
        ]
      : []),
    { title: 'Against the baseline', cell: (variant) => <Against variant={variant} trial={trial} /> },
    { title: 'Calls', cell: (variant) => <CallCounts variant={variant} /> },
    { title: 'Cost', align: 'right', cell: (variant) => <VariantCost variant={variant} /> },
    {
      title: 'Time, median',
      align: 'right',
      isWideOnly: true,
      cell: (variant) => <MedianTime variant={variant} />,
    },
  ]
  return (
    <section className="mt-8">
      <h2 className="mb-3 flex flex-wrap items-baseline justify-between gap-x-3 font-display text-section font-semibold">
        Variants
        {scale && (
          <span className="font-sans text-meta font-normal text-soft">
            dashed line: baseline{scale.onNew && '; tick below: expected on new items'}
          </span>
        )}
      </h2>
      <Table caption="Variants" columns={columns} rows={rows} rowKey={({ name }) => name} />
      {ranking?.expectedOnNew && <OnNewItems trial={trial} {...ranking} expectedOnNew={ranking.expectedOnNew} />}
      {trial.cheapest && <p className="mt-3 max-w-[80ch] text-data">{withMetricTitles(trial.cheapest.summary)}</p>}
    </section>
  )
}

function ResultLinks({
  trialKey: { applicationId, componentId },
  variant: { runId, evaluationId, name },
}: Pick<VariantTableProps, 'trialKey'> & { variant: Variant }) {
  return (
    <span className="mt-1 flex flex-wrap gap-x-3 gap-y-1 text-meta">
      <Link to={pagePaths.run(applicationId, componentId, runId)} className={linkClass}>
        Run<span className="sr-only"> of {name}</span>
      </Link>
      {evaluationId && (
        <Link to={pagePaths.evaluation(applicationId, componentId, evaluationId)} className={linkClass}>
          Evaluation<span className="sr-only"> of {name}</span>
        </Link>
      )}
    </span>
  )
}

/** The best one first as soon as it is known; before that, the baseline. */
function inOrder({ variants, plan, ranking }: TrialDetail): Variant[] {
  const rank = ({ name }: Variant) => (name === plan.baseline ? 0 : name === ranking?.best ? 1 : 2)
  const direction = ranking?.higherIsBetter === false ? 1 : -1
  const isRanked = variants.some(({ quality }) => quality !== null)
  const worst = Number.POSITIVE_INFINITY
  const value = ({ quality }: Variant) => (quality ? direction * quality.mean : worst)
  return variants.toSorted((a, b) => (isRanked && value(a) !== value(b) ? value(a) - value(b) : rank(a) - rank(b)))
}

function CallCounts({ variant }: { variant: Variant }) {
  const { total, done, failed, skipped } = variant
  const waiting = waitingCalls(variant)
  const others = [
    ...(failed > 0 ? [`${formatCount(failed)} no answer`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped)} skipped`] : []),
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting`] : []),
  ]
  return (
    <span className="tabular-nums">
      {formatCount(done)} of {formatCount(total)} answered
      {others.length > 0 && <span className="block text-meta text-soft">{others.join(', ')}</span>}
    </span>
  )
}

function Against({ variant, trial }: { variant: Variant; trial: TrialDetail }) {
  if (trial.variants.length === 1) return <span className="text-faint">nothing to compare</span>
  if (variant.name === trial.plan.baseline) return <span className="text-faint">what the others are compared with</span>
  const { comparison } = variant
  if (!comparison) return <span className="text-faint">{isOpen(trial) ? 'not decided yet' : 'not compared'}</span>
  const { difference } = comparison
  const [low, high] = comparison.ci ?? []
  return (
    <div className="max-w-md sm:min-w-48">
      <VerdictMark verdict={readVerdict(comparison.verdict)} />
      {difference !== null && (
        <span className="ml-2 tabular-nums">
          {formatDifference(difference)}
          {low !== undefined && high !== undefined && (
            <span className="text-soft">{` (${formatDifference(low)} to ${formatDifference(high)})`}</span>
          )}
        </span>
      )}
      <span className="mt-0.5 block text-meta text-soft wrap-anywhere">
        {withMetricTitles(withoutTrialName(comparison.summary, trial))}
      </span>
    </div>
  )
}

const verdicts: readonly ComparedMetric['verdict'][] = [
  'improved',
  'regressed',
  'equivalent',
  'noClearDifference',
  'tooFewCases',
]

/** A verdict that this interface does not know yet decides nothing. */
function readVerdict(text: string): ComparedMetric['verdict'] {
  return verdicts.find((known) => known === text) ?? 'noClearDifference'
}

/** Models without a price and workers that report none add nothing: a zero is not known to be free. */
function VariantCost({ variant: { costUsd, judgesUsd, done, durationMs } }: { variant: Variant }) {
  if (done === 0 && costUsd === 0) return <span className="text-faint">–</span>
  const judges = judgesUsd > 0 && <span className="block text-meta text-soft">judges {formatCost(judgesUsd)}</span>
  if (costUsd === 0)
    return (
      <>
        <span className="text-faint italic">unknown</span>
        {judges}
      </>
    )
  return (
    <span className="tabular-nums">
      {formatCost(costUsd)}
      {done > 0 && <span className="block text-meta text-soft">{formatSmallCost(costUsd / done)} an answer</span>}
      {judges}
      {durationMs && (
        <span className="hidden text-meta text-soft sm:max-wide:block">median {formatDuration(durationMs.median)}</span>
      )}
    </span>
  )
}

function MedianTime({ variant: { durationMs } }: { variant: Variant }) {
  if (!durationMs) return <span className="text-faint">–</span>
  const [low, high] = durationMs.ci ?? []
  return (
    <span className="tabular-nums">
      {formatDuration(durationMs.median)}
      {low !== undefined && high !== undefined && (
        <span className="block whitespace-nowrap text-meta text-soft">
          {formatDuration(low)} to {formatDuration(high)}
        </span>
      )}
    </span>
  )
}

interface OnNewItemsProps {
  trial: TrialDetail
  best: string
  metric: string
  expectedOnNew: { difference: number; ci: number[] | null }
}

/** The lead of a winner that was chosen from several is smaller on items that did not choose it. */
function OnNewItems({ trial, best, metric, expectedOnNew: { difference, ci } }: OnNewItemsProps) {
  const [low, high] = ci ?? []
  const interval =
    low === undefined || high === undefined ? '' : ` (${formatDifference(low)} to ${formatDifference(high)})`
  const items = trial.progress.total / trial.variants.length / trial.plan.repetitions
  return (
    <div className="mt-3 max-w-[80ch] text-data">
      <p>
        <b className="font-semibold">Expected on new items:</b> <bdi>{best}</bdi>{' '}
        <span className="tabular-nums">
          {formatDifference(difference)}
          {interval}
        </span>{' '}
        on {metricTitle(metric)} against <bdi>{trial.plan.baseline}</bdi>, from at most {countOf(items, 'item')}.
      </p>
      <p className="text-meta text-soft">
        The best one is chosen on one random half of the items and measured on the other, many times: the lead of a
        winner that was chosen from several shrinks.
      </p>
    </div>
  )
}
