import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Component, ComponentTrends, TrendBucket } from '../../api/generated/api.ts'
import { componentTraces, pagePaths, withQuery } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { formatCost } from '../../ui/format-number.ts'
import { dollars, duration, percent, toEstimate } from '../overview/trace-estimates.ts'
import { runTitle } from '../runs/run-title.ts'
import { describeStep, groupVersions } from './group-versions.ts'
import { TimePlot, type TimeSeries } from './time-plot.tsx'

interface TraceTrendsProps {
  trends: ComponentTrends
  component: Component
  applicationId: string
}

/** Errors, durations and costs of the traces of the component, with a mark wherever the version changed. */
export function TraceTrends({ trends, component, applicationId }: TraceTrendsProps) {
  const { traces, bucketSeconds } = trends
  const range = { from: Date.parse(trends.from), to: Date.parse(trends.to) }
  const count = traces.buckets.reduce((sum, bucket) => sum + bucket.count, 0)
  if (count === 0) {
    return (
      <section className="rounded-card border border-line bg-surface p-5 shadow-lift">
        <h3 className="text-body font-semibold">Traces</h3>
        <p className="mt-1 mb-3 text-data text-soft">
          No traces in this period. Traces that name this component appear here.
        </p>
        <Link to={pagePaths.firstTrace(applicationId)} className={buttonClass('secondary', 'small')}>
          Send traces
        </Link>
      </section>
    )
  }
  const marks = groupVersions(trends.versions).map((step) => {
    const { at, run, changes } = step
    const [{ value }] = changes
    return {
      time: Date.parse(at),
      label: value,
      text: run ? `${describeStep(step)}, ${runTitle(run)}` : describeStep(step),
      href: run
        ? pagePaths.run(applicationId, component.id, run.id)
        : withQuery(pagePaths.traces(applicationId), {
            q: `${componentTraces(component)} metadata.service.version:${quoted(value)}`,
          }),
    }
  })
  const shared = { range, bucketMs: bucketSeconds * 1_000, marks }
  const seriesOf = (name: string, read: (bucket: TrendBucket) => TimeSeries['points'][number]['estimate']) => ({
    name,
    points: traces.buckets.map((bucket) => ({ start: Date.parse(bucket.start), estimate: read(bucket) })),
  })
  const sampled = traces.isSampled ? ', from a sample' : ''
  return (
    <div className="grid gap-6 xl:grid-cols-2">
      <Card>
        <TimePlot
          {...shared}
          title="Error rate"
          empty="Too few traces in this period."
          note="of the traces, 95 % intervals"
          format={percent}
          series={[
            seriesOf('Error rate', ({ errorRate: { rate, ci, n } }) => toEstimate({ mean: rate, ci, n }, 'no traces')),
          ]}
          extra={{ title: 'Errors', value: (index) => `${traces.buckets[index]?.errors ?? 0}` }}
        />
      </Card>
      <Card>
        <TimePlot
          {...shared}
          title="Duration"
          empty="Too few traces with a start and an end in this period."
          note={`median and p95, 95 % intervals${sampled}`}
          format={duration}
          footnote={
            traces.buckets.some(({ p95 }) => p95.ms !== null && p95.ci === null)
              ? 'Points with too few traces for an interval are only in the table.'
              : undefined
          }
          series={[seriesOf('p50', ({ p50 }) => quantile(p50)), seriesOf('p95', ({ p95 }) => quantile(p95))]}
        />
      </Card>
      <Card>
        <TimePlot
          {...shared}
          title="Cost per trace"
          empty={
            <>
              The cost of no trace in this period is known.{' '}
              <Link
                to={pagePaths.settings(applicationId, 'prices')}
                className="touch-link rounded-sm text-ink underline decoration-edge underline-offset-3"
              >
                Set prices of models
              </Link>
            </>
          }
          note={`mean of the known costs, 95 % intervals${sampled}`}
          format={dollars}
          series={[
            seriesOf('Cost per trace', ({ costPerTrace, count: all }) =>
              toEstimate(
                costPerTrace,
                all === 0 ? 'no traces' : costPerTrace.n === 0 ? 'unknown' : oneCost(costPerTrace),
              ),
            ),
          ]}
          extra={{ title: 'Sum', value: (index) => sumText(traces.buckets[index]) }}
        />
      </Card>
    </div>
  )
}

function quoted(value: string): string {
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}

function quantile({ ms, ci, n }: TrendBucket['p50']) {
  if (ms === null) return { summary: 'no traces' }
  return toEstimate({ mean: ms, ci, n }, `${duration(ms)}, n ${n}; too few for an interval`)
}

function oneCost({ mean, n }: TrendBucket['costPerTrace']): string {
  return mean === null ? 'unknown' : `${dollars(mean)}, n ${n}; no interval`
}

function sumText(bucket: TrendBucket | undefined): string {
  if (!bucket || bucket.count === 0) return ''
  const { usd, known, unknown } = bucket.cost
  if (usd === null) return 'unknown'
  return known === 'all' ? formatCost(usd) : `${formatCost(usd)}, ${unknown ?? 'some'} unknown`
}

function Card({ children }: { children: ReactNode }) {
  return <section className="min-w-0 rounded-card border border-line bg-surface p-5 shadow-lift">{children}</section>
}
