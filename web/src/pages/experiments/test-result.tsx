import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { comparisonQuery } from '../../api/comparison-query.ts'
import type { ExperimentKey } from '../../api/experiments-query.ts'
import type { ExperimentResults } from '../../api/generated/api.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { IntervalPlot } from '../../ui/charts/interval-plot.tsx'
import { countOf, formatCount } from '../../ui/format-number.ts'
import { metricTitle } from '../../ui/metric-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { decidingMetric } from '../compare/deciding-metric.ts'
import { betterSide, changeEstimate, changeFormat, changeOf } from '../compare/metric-change.ts'
import { formatP, valueFormat } from '../compare/metric-format.ts'
import { toEstimate } from '../overview/trace-estimates.ts'
import { QueryError } from '../shell/query-error.tsx'
import { bestFinalist } from './experiment-words.ts'
import { TestMetrics } from './test-metrics.tsx'

interface TestResultProps {
  experimentKey: ExperimentKey
  results: ExperimentResults
}

/** The comparison on the sealed items: both on one axis, the difference, and every metric. */
export function TestResult({ experimentKey: { applicationId, componentId }, results }: TestResultProps) {
  const { test } = results
  const best = bestFinalist(results)
  const [shown, setShown] = useState<string>()
  const pair = {
    applicationId,
    componentId,
    baseline: test?.baselineRunId ?? '',
    candidate: best?.runId ?? '',
    split: 'test' as const,
  }
  const isKnown = test?.baselineRunId != null && best !== undefined
  const query = useQuery({ ...comparisonQuery(pair, undefined), enabled: isKnown })
  if (!isKnown) return null
  if (query.error)
    return (
      <div className="mt-6">
        <QueryError query={query} />
      </div>
    )
  // As high as what follows.
  if (!query.data) return <Skeleton rows={8} />
  const metric = decidingMetric(query.data, shown ?? test.metric ?? undefined)
  return (
    <>
      {metric && (
        <section
          aria-label={`Numbers of ${metricTitle(metric.name)}`}
          className="mt-6 rounded-card border border-line bg-surface shadow-lift"
        >
          <div className="grid grid-cols-1 divide-line max-lg:divide-y lg:grid-cols-[minmax(0,9fr)_minmax(0,11fr)] lg:divide-x">
            <div className="p-5 max-sm:p-4">
              <IntervalPlot
                title={`${metricTitle(metric.name)} on the test items`}
                note={metric.measuredAs ?? (metric.kind === 'binary' ? 'share that passes' : 'mean')}
                rows={(['baseline', 'candidate'] as const).map((side) => ({
                  label: side === 'baseline' ? 'the start' : `Proposal ${best.iteration}`,
                  series: side,
                  estimate: toEstimate({ ...metric[side], n: metric.n }, 'no interval'),
                }))}
                format={valueFormat(metric)}
              />
            </div>
            <div className="p-5 max-sm:p-4">
              <IntervalPlot
                title={changeOf(metric).kind === 'ratio' ? 'Ratio, item by item' : 'Difference, item by item'}
                note={betterSide(metric.higherIsBetter).note}
                rows={[
                  {
                    label: changeOf(metric).kind === 'ratio' ? 'Typical item' : 'Difference',
                    series: 'candidate',
                    estimate: changeEstimate(metric, `No interval, n ${formatCount(metric.items)}`),
                  },
                ]}
                format={changeFormat(metric)}
                change={changeOf(metric).kind}
              />
            </div>
          </div>
          <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t border-line px-5 py-3 text-data text-soft max-sm:px-4">
            <p className="tabular-nums">
              {countOf(metric.wins, 'item')} became better, {formatCount(metric.losses)} worse,{' '}
              {formatCount(metric.ties)} stayed.{metric.test && ` p ${formatP(metric.test.pAdjusted)}.`}
            </p>
            <Link
              to={pagePaths.compare(applicationId, componentId)}
              search={{ base: pair.baseline, cand: [pair.candidate], split: 'test' }}
              className={buttonClass('secondary', 'small')}
            >
              Compare item by item
            </Link>
          </div>
        </section>
      )}
      <TestMetrics comparison={query.data} name={`proposal ${best.iteration}`} shown={metric?.name} onShow={setShown} />
    </>
  )
}
