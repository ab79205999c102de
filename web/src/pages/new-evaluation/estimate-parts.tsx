import { Link } from '@tanstack/react-router'
import type { EvaluationEstimate } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { AxisLabels } from '../../ui/charts/axis-labels.tsx'
import { percentScale } from '../../ui/charts/percent-scale.ts'
import { SeriesMark } from '../../ui/charts/series-mark.tsx'
import { countOf, formatCost, formatCount, formatScore } from '../../ui/format-number.ts'

interface CostPartProps {
  applicationId: string
  estimate: EvaluationEstimate
  evaluatorCount: number
}

/** What the evaluation costs. A model without a price has an unknown cost, never none. */
export function CostPart({ applicationId, estimate, evaluatorCount }: CostPartProps) {
  const { cases, scores, calls, expectedCostUsd, unpricedModels } = estimate
  return (
    <>
      <p className="font-display text-title font-semibold text-ink tabular-nums">
        {expectedCostUsd === null
          ? 'unknown'
          : expectedCostUsd === 0
            ? 'nothing'
            : `about ${roundCost(expectedCostUsd)}`}
      </p>
      <p className="mt-1">
        {countOf(cases, 'case')}
        {evaluatorCount > 0 && ` × ${countOf(evaluatorCount, 'evaluator')}`}: {countOf(scores, 'score')},{' '}
        {calls === 0 ? 'and no call of a model.' : `about ${countOf(calls, 'call')} of models.`}
      </p>
      {unpricedModels.length > 0 && (
        <p className="mt-1">
          No price is known for {unpricedModels.join(', ')}.{' '}
          <Link
            to={pagePaths.settings(applicationId, 'prices')}
            className="underline decoration-edge underline-offset-3 hover:text-ink"
          >
            Add a price
          </Link>
        </p>
      )}
    </>
  )
}

/** Two digits are enough for an estimate. */
function roundCost(dollars: number): string {
  return dollars < 0.01
    ? formatCost(dollars)
    : `$${dollars.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`
}

/** The smallest change that so many cases can show. */
export function PowerPart({ estimate: { cases, detectableDifference, summary } }: { estimate: EvaluationEstimate }) {
  if (cases === 0) return <p>There is no case to evaluate.</p>
  if (detectableDifference === null) return <p>{afterSemicolon(summary)}</p>
  const scale = percentScale([0, 1])
  const [low, high] = [0.5 - detectableDifference, 0.5 + detectableDifference]
  return (
    <>
      <p>
        A rate must change by about <b className="font-semibold text-ink">{formatScore(detectableDifference)}</b>, such
        as from 0.50 to {formatScore(high)}, to be seen in {formatCount(cases)} separate cases. The comparison pairs the
        items and usually sees less.
      </p>
      <div aria-hidden className="mt-3">
        <svg aria-hidden height={28} className="block w-full overflow-visible">
          <line x1="0" x2="100%" y1={14} y2={14} className="stroke-edge" />
          <rect
            x={scale.x(low)}
            width={`${scale.at(high) - scale.at(low)}%`}
            y={8}
            height={12}
            rx={6}
            className="fill-sunken stroke-edge"
          />
          <SeriesMark series="baseline" x={scale.x(0.5)} y={14} />
          <SeriesMark series="candidate" x={scale.x(high)} y={14} />
        </svg>
        <AxisLabels
          labels={[0, 0.25, 0.5, 0.75, 1].map((tick) => ({
            at: scale.at(tick),
            text: String(tick),
            key: String(tick),
          }))}
        />
      </div>
    </>
  )
}

/** The summary of the server says after a semicolon why nothing can be shown. */
function afterSemicolon(summary: string): string {
  const reason = summary.slice(summary.indexOf(';') + 1).trim()
  return `${reason[0]?.toUpperCase() ?? ''}${reason.slice(1)}`
}
