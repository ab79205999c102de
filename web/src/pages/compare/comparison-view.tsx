import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { type ComparedPair, comparisonQuery } from '../../api/comparison-query.ts'
import type { RunSummary } from '../../api/generated/api.ts'
import { loadPart } from '../../api/server-connection.ts'
import { withMetricTitles } from '../../ui/metric-words.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { DecisionPanel } from '../decisions/decision-panel.tsx'
import { QueryError } from '../shell/query-error.tsx'
import type { CompareSearch } from './compare-search.ts'
import { ComparedItems } from './compared-items.tsx'
import { ComparisonNotes } from './comparison-notes.tsx'
import { ComparisonPlots } from './comparison-plots.tsx'
import { decidingMetric } from './deciding-metric.ts'
import { EvaluateSameWay } from './evaluate-same-way.tsx'
import { LabelChanges } from './label-changes.tsx'
import { MetricTable } from './metric-table.tsx'
import { PreferenceResult } from './preference-result.tsx'
import { splitSummary } from './split-summary.ts'
import type { ChangeSearch } from './use-compare-search.ts'
import { MarkedSummary } from './verdict-mark.tsx'
import { WhatChanged } from './what-changed.tsx'

const PreferBlind = lazy(async () => ({ default: (await loadPart(() => import('./prefer-blind.tsx'))).PreferBlind }))

interface ComparisonViewProps {
  pair: ComparedPair
  runs: RunSummary[]
  titleOf: (runId: string, name: string | null) => string
  search: CompareSearch
  change: ChangeSearch
}

/** Two runs: the verdict, the numbers behind it, and the items behind the numbers. */
export function ComparisonView({ pair, runs, titleOf, search, change }: ComparisonViewProps) {
  const margin = search.margin === undefined ? undefined : Number(search.margin)
  const query = useQuery(comparisonQuery(pair, margin))
  const { data: comparison, error } = query
  if (!comparison && error) return <QueryError query={query} />
  if (!comparison) return <Skeleton rows={10} />
  if (search.mode === 'blind') {
    return (
      <Suspense fallback={<Skeleton rows={10} />}>
        <PreferBlind pair={pair} total={comparison.total} onLeave={() => change({ mode: undefined })} />
      </Suspense>
    )
  }
  const metric = decidingMetric(comparison, search.metric)
  // Without one in the address, it is that of the gate.
  const applied = margin ?? comparison.margin ?? undefined
  const names = {
    baseline: titleOf(pair.baseline, comparison.baseline.name),
    candidate: titleOf(pair.candidate, comparison.candidate.name),
  }
  const { headline, rest } = splitSummary(withMetricTitles(comparison.summary))
  return (
    <div aria-busy={query.isPlaceholderData || undefined}>
      {error && <QueryError query={query} />}
      <div className="grid grid-cols-1 items-start gap-x-8 gap-y-6 rail:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0">
          <h2 className="mt-5 font-display text-verdict font-semibold tracking-tight text-balance break-words max-sm:text-title">
            <MarkedSummary text={headline} verdict={comparison.verdict} />
          </h2>
          {rest && <p className="mt-2 max-w-[80ch] text-reading break-words text-soft">{rest}</p>}
          <p className="mt-2 max-w-[80ch] text-data text-faint">{comparison.looking.summary}</p>
          <EvaluateSameWay pair={pair} comparison={comparison} titleOf={titleOf} />
          <ComparisonNotes comparison={comparison} metric={metric} />
          {metric && (
            <div className="mt-4">
              <ComparisonPlots
                metric={metric}
                names={names}
                margin={search.margin ?? applied?.toString()}
                change={change}
                isSummarized={comparison.summary.includes(metric.summary)}
              />
            </div>
          )}
        </div>
        <aside aria-label="Decision and changes" className="flex min-w-0 flex-col gap-4 rail:mt-5">
          <DecisionPanel {...pair} metric={metric?.name} margin={applied} />
          <WhatChanged
            prompts={comparison.prompts}
            baseline={runs.find(({ id }) => id === pair.baseline)}
            candidate={runs.find(({ id }) => id === pair.candidate)}
          />
        </aside>
      </div>
      <MetricTable
        comparison={comparison}
        shown={metric?.name}
        onShow={(name) => change({ metric: name, item: undefined })}
      />
      <LabelChanges labels={comparison.labels} />
      <ComparedItems pair={pair} names={names} metric={metric} search={search} change={change} />
      <PreferenceResult pair={pair} onStart={() => change({ mode: 'blind' })} />
    </div>
  )
}
