import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { componentQuery } from '../../api/components-query.ts'
import { useExperimentProgress, withExperimentProgress } from '../../api/experiment-progress.ts'
import {
  EXPERIMENT,
  experimentCourseQuery,
  experimentQuery,
  experimentResultsQuery,
} from '../../api/experiments-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { loadPart } from '../../api/server-connection.ts'
import { pagePaths } from '../../path-builder.ts'
import { Skeleton } from '../../ui/skeleton.tsx'
import { CopyLink } from '../shell/copy-link.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { LiveState } from '../trials/live-state.tsx'
import { ExperimentHeader } from './experiment-header.tsx'
import { useExperimentSearch } from './experiment-search.ts'
import { experimentTitle, isOpen } from './experiment-words.ts'
import { NowStrip } from './now-strip.tsx'
import { ProposalsPart } from './proposals-part.tsx'
import { SearchChart } from './search-chart.tsx'
import { CostCard, GuardsCard, SplitCard } from './side-cards.tsx'
import { TestResult } from './test-result.tsx'
import { WhatNowCard } from './what-now-card.tsx'

const JsonView = lazy(async () => ({
  default: (await loadPart(() => import('../../ui/json-view/json-view.tsx'))).JsonView,
}))

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/experiments/$experimentId')

/** One experiment: what the sealed items say or what is missing for it, the search, every proposal, and what can be done now. */
export function ExperimentPage() {
  const key = route.useParams()
  const { applicationId, componentId } = key
  const { search, change } = useExperimentSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: stored } = useSuspenseQuery(experimentQuery(key))
  const course = useQuery(experimentCourseQuery(key))
  const results = useQuery(experimentResultsQuery(key))
  const live = useExperimentProgress(key, stored.status === 'running')
  const experiment = withExperimentProgress(stored, live.sent)
  useLiveQuery(applicationId, ['experiments'], apiKey(EXPERIMENT, applicationId), { pauseMs: 2_000 })
  const title = experimentTitle(experiment)
  const isTested = results.data?.test != null && experiment.status === 'completed'
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Experiments', to: pagePaths.experiments(applicationId, componentId) },
        ]}
        current={title}
      >
        {isOpen(experiment) && <LiveState live={live} />}
        <CopyLink />
      </TopRow>
      <PageBody width="wide">
        {search.view === 'json' ? (
          <section>
            <h1 className="mb-4 font-display text-title font-semibold">{title}</h1>
            <div className="rounded-card border border-line bg-surface p-4 shadow-lift">
              <Suspense fallback={<Skeleton rows={6} />}>
                <JsonView label="Experiment" value={{ ...experiment, results: results.data }} />
              </Suspense>
            </div>
          </section>
        ) : (
          <>
            <div className="grid items-start gap-x-6 gap-y-6 xl:grid-cols-[minmax(0,1fr)_18.5rem]">
              <div className="min-w-0 xl:row-span-2">
                <ExperimentHeader experimentKey={key} experiment={experiment} results={results.data} />
                {results.error && <QueryError query={results} />}
                {isTested && results.data && <TestResult experimentKey={key} results={results.data} />}
                {!isTested && course.data && (
                  <div className="mt-6">
                    <SearchChart experiment={experiment} course={course.data} by={search.by} onChange={change} />
                  </div>
                )}
                {experiment.status === 'running' && (
                  <NowStrip experiment={experiment} points={course.data?.data ?? []} />
                )}
              </div>
              <div className="grid min-w-0 items-start gap-4 sm:grid-cols-2 xl:grid-cols-1">
                <WhatNowCard
                  experimentKey={key}
                  experiment={experiment}
                  results={results.data}
                  points={course.data?.data}
                />
                <SplitCard experiment={experiment} results={results.data} />
                <CostCard experiment={experiment} results={results.data} />
                <GuardsCard experiment={experiment} />
              </div>
            </div>
            {isTested && course.data && (
              <div className="mt-8">
                <SearchChart experiment={experiment} course={course.data} by={search.by} onChange={change} />
              </div>
            )}
            {course.error && <QueryError query={course} />}
            {course.isPending && <Skeleton rows={6} />}
            {course.data && (
              <ProposalsPart
                experimentKey={key}
                experiment={experiment}
                points={course.data.data}
                results={results.data}
              />
            )}
          </>
        )}
      </PageBody>
    </>
  )
}
