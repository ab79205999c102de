import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { SeriesIcon } from '../../ui/charts/series-mark.tsx'
import { formatCount, formatMetric, formatScore } from '../../ui/format-number.ts'
import type { Interval, ResultMetric } from './evaluation-results.ts'

/** What else is known about a metric: what people would say, several attempts, injections, drift. */
export function MetricDetails({ metric }: { metric: ResultMetric }) {
  const { corrected, attempts, injection, drift } = metric
  const last = attempts?.at(-1)
  if (!corrected && !last && !injection && !drift) return null
  return (
    <dl className="mt-3 grid gap-x-6 gap-y-3 rounded-control bg-sunken px-4 py-2.5 text-data @xl:grid-cols-2 @4xl:grid-cols-3">
      {corrected && <CorrectedFacts metric={metric} corrected={corrected} />}
      {attempts?.map(({ k, n, passAtK, passHatK }) => (
        <Fact key={k} title={`${k} attempts per item, n ${formatCount(n)}`}>
          <Share mean={passAtK.mean} ci={passAtK.ci} n={n} /> one passes,{' '}
          <Share mean={passHatK.mean} ci={passHatK.ci} n={n} /> all pass
        </Fact>
      ))}
      {injection && <Fact title="Prompt injections">{injection.summary}</Fact>}
      {drift && (
        <Fact title="Same judge as before?">
          {drift.hasDrifted && <TriangleAlert aria-hidden className="mr-1 inline size-3.5 text-warn" />}
          {drift.summary}
        </Fact>
      )}
    </dl>
  )
}

interface CorrectedFactsProps {
  metric: ResultMetric
  corrected: NonNullable<ResultMetric['corrected']>
}

function CorrectedFacts({ metric, corrected }: CorrectedFactsProps) {
  const { rate, ci, labels, excluded = 0, method, sensitivity, specificity, nextLabels } = corrected
  return (
    <>
      <Fact
        title={
          <>
            <SeriesIcon series="corrected" />
            {metric.passed ? 'People would pass' : 'People would rate'}
          </>
        }
      >
        {rate === null ? method : <Share mean={rate} ci={ci} n={labels} />}
        {rate !== null && excluded > 0 && (
          <span className="block text-meta text-soft">
            Without {formatCount(excluded)} rated {excluded === 1 ? 'case' : 'cases'} not drawn at random
          </span>
        )}
        {nextLabels && nextLabels.passed + nextLabels.failed > 0 && (
          <span className="block text-meta text-soft">
            Rate next: {formatCount(nextLabels.passed)} that pass, {formatCount(nextLabels.failed)} that fail
          </span>
        )}
      </Fact>
      {sensitivity && (
        <Fact title="Sensitivity: passes the good">
          <Share mean={sensitivity.value} ci={sensitivity.ci} n={sensitivity.n} />
        </Fact>
      )}
      {specificity && (
        <Fact title="Specificity: fails the bad">
          <Share mean={specificity.value} ci={specificity.ci} n={specificity.n} />
        </Fact>
      )}
    </>
  )
}

function Fact({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-meta text-soft">{title}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  )
}

interface ShareProps {
  mean: number | null
  ci: Interval | null
  n: number
}

function Share({ mean, ci, n }: ShareProps) {
  if (mean === null) return <>unknown</>
  return (
    <span data-estimate className="tabular-nums">
      <b data-mean className="font-semibold">
        {formatMetric(mean)}
      </b>{' '}
      {ci && `(${formatScore(ci[0])} to ${formatScore(ci[1])}), `}n {formatCount(n)}
    </span>
  )
}
