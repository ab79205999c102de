import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { apiKey } from '../../api/api-query.ts'
import { componentQuery } from '../../api/components-query.ts'
import { useExperimentProgress, withExperimentProgress } from '../../api/experiment-progress.ts'
import {
  EXPERIMENT,
  EXPERIMENT_COURSE,
  EXPERIMENT_RESULTS,
  experimentCourseQuery,
  experimentQuery,
  experimentResultsQuery,
} from '../../api/experiments-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { loadPart } from '../../api/server-connection.ts'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
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
  useShortcut(
    'proposalTable',
    search.view === 'json' ? undefined : () => change({ view: search.view === 'table' ? undefined : 'table' }),
  )
  // The results, too: the end of the stream is not read if the experiment is known to have ended before.
  useLiveQuery(applicationId, ['experiments'], apiKey(EXPERIMENT_RESULTS, applicationId), { pauseMs: 2_000 })
  useLiveQuery(applicationId, ['experiments'], apiKey(EXPERIMENT_COURSE, applicationId), { pauseMs: 2_000 })
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
        {search.view !== 'json' && (
          <Button
            look="quiet"
            size="small"
            aria-pressed={search.view === 'table'}
            onClick={() => change({ view: search.view === 'table' ? undefined : 'table' })}
            className="max-sm:hidden"
          >
            {search.view === 'table' ? 'View as tree' : 'View as table'} <ShortcutKeys id="proposalTable" />
          </Button>
        )}
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
            {/* Narrow: what can be done follows the headline, and the other cards the numbers. */}
            <div className="flex flex-col gap-6 xl:grid xl:grid-cols-[minmax(0,1fr)_18.5rem] xl:items-start">
              <div className="contents xl:block xl:min-w-0">
                <div className="order-1 min-w-0">
                  <ExperimentHeader experimentKey={key} experiment={experiment} results={results.data} />
                </div>
                <div className="order-3 min-w-0 max-xl:-mt-6">
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
              </div>
              <div className="contents xl:flex xl:min-w-0 xl:flex-col xl:gap-4">
                <div className="order-2 min-w-0">
                  <WhatNowCard
                    experimentKey={key}
                    experiment={experiment}
                    results={results.data}
                    points={course.data?.data}
                  />
                </div>
                <div className="order-4 grid min-w-0 items-start gap-4 sm:grid-cols-2 xl:grid-cols-1">
                  <SplitCard experiment={experiment} results={results.data} />
                  <CostCard experiment={experiment} results={results.data} />
                  <GuardsCard experiment={experiment} />
                </div>
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
