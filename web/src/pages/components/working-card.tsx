import type { ComponentOverview } from '../../api/generated/api.ts'
import type { Period } from '../../api/overview-query.ts'
import { type Estimate, hasMean } from '../../ui/charts/estimate.ts'
import { SparkBars } from '../../ui/charts/spark-bars.tsx'
import { countOf, formatCount, formatDuration, formatPercent } from '../../ui/format-number.ts'
import { Cost } from '../../ui/quantities.tsx'
import {
  describeCosts,
  dollars,
  duration,
  errorEstimate,
  p95Estimate,
  percent,
  toEstimate,
} from '../overview/trace-estimates.ts'
import { QuestionCard } from './card.tsx'
import { EstimateRow, EstimateRows } from './estimate-row.tsx'

type Working = ComponentOverview['working']

const before: Record<Period, string> = { '24h': 'the day before', '7d': 'the week before', '30d': 'the month before' }

export function WorkingCard({ working: { current, previous }, period }: { working: Working; period: Period }) {
  const error = { now: errorEstimate(current), past: errorEstimate(previous), format: percent, name: 'Error rate' }
  const p95 = { now: p95Estimate(current), past: p95Estimate(previous), format: duration, name: 'p95' }
  const cost = {
    now: toEstimate(current.costPerTrace, current.count === 0 ? 'No traces' : 'unknown'),
    past: toEstimate(previous.costPerTrace, 'unknown'),
    format: dollars,
    name: 'Cost per trace',
  }
  return (
    <QuestionCard
      question="Is it working?"
      answer={describe({ current, error, p95 }, before[period])}
      footer={current.count > 0 && <Footer current={current} previous={previous} when={before[period]} />}
    >
      {current.count === 0 && (
        <p className="text-data text-soft">
          {describeBefore(previous, before[period])} Traces that name this component, in the attribute
          touchstone.component, appear here.
        </p>
      )}
      {current.count > 0 && (
        <EstimateRows>
          {[error, p95, cost].map(({ name, now, past, format }) => (
            <EstimateRow key={name} name={name} estimate={now} domain={domainOf([now, past])} format={format} />
          ))}
        </EstimateRows>
      )}
    </QuestionCard>
  )
}

function Footer({
  current,
  previous,
  when,
}: {
  current: Working['current']
  previous: Working['previous']
  when: string
}) {
  return (
    <div className="flex items-start gap-3">
      <span className="shrink-0">
        <SparkBars summary={countOf(current.errors, 'error')} values={current.series} />
      </span>
      <p>
        {countOf(current.count, 'trace')}
        {current.count > 0 && current.cost.known === 'none' && ', cost unknown'}
        {current.count > 0 && current.cost.known !== 'none' && (
          <>
            , <Cost dollars={current.cost.usd} /> ({describeCosts(current.cost)})
          </>
        )}
        . {describeBefore(previous, when)}
        {current.isSampled && ' Durations are from a sample.'} {describeCounted(current)}
      </p>
    </div>
  )
}

/** Numbers of production would look wrong next to a list that shows the traces of runs, too. */
function describeCounted({ counted, count, others }: Working['current']): string {
  if (counted === 'all') return count === 0 ? '' : 'All traces count: there is none of production yet.'
  return others === 0 ? '' : `${countOf(others, 'more trace')} of runs and tests, which do not count.`
}

function describeBefore({ count, errorRate, p95 }: Working['previous'], when: string): string {
  if (count === 0 || errorRate.rate === null) return `No traces ${when}.`
  const slow = p95.ms === null ? '' : `, p95 ${formatDuration(p95.ms)}`
  return `${formatCount(count)} ${when}: ${formatPercent(errorRate.rate)} failed${slow}.`
}

interface Compared {
  now: Estimate
  past: Estimate
}

interface Described {
  current: Working['current']
  error: Compared
  p95: Compared
}

/** In words. A change is one only if the two intervals do not overlap. */
function describe({ current, error, p95 }: Described, when: string): string {
  const { rate } = current.errorRate
  if (rate === null) return 'No traces in this period'
  const state = rate === 0 ? 'Yes, no errors' : rate < 0.05 ? 'Yes' : rate < 0.5 ? 'Not always' : 'Mostly not'
  const changes = [
    ...change(error, { more: 'more errors', less: 'fewer errors' }),
    ...change(p95, { more: 'slower', less: 'faster' }),
  ]
  return changes.length === 0 ? state : `${state}, ${changes.join(' and ')} than ${when}`
}

function change({ now, past }: Compared, { more, less }: { more: string; less: string }): string[] {
  if (!hasMean(now) || !hasMean(past)) return []
  if (now.low > past.high) return [more]
  return now.high < past.low ? [less] : []
}

function domainOf(estimates: Estimate[]): readonly [number, number] {
  const highs = estimates.flatMap((estimate) => (hasMean(estimate) ? estimate.high : []))
  return [0, Math.max(...highs, 0) * 1.15 || 1]
}
