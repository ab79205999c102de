import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CircleX } from 'lucide-react'
import { apiKey } from '../../api/api-query.ts'
import { componentQuery, type EvaluationKey, evaluationQuery } from '../../api/components-query.ts'
import { useEvaluationProgress } from '../../api/evaluation-progress.ts'
import {
  CASES,
  EVALUATION,
  evaluationSummaryQuery,
  SCORE_SUMMARY,
  SUMMARIES,
  scoreSummaryQuery,
} from '../../api/evaluation-query.ts'
import type { EvaluationDetail } from '../../api/generated/api.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { pagePaths } from '../../path-builder.ts'
import { peekRoomClass } from '../../ui/peek-dock.tsx'
import { settingsInWords } from '../../ui/setting-words.ts'
import { CopyLink } from '../shell/copy-link.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { QueryError } from '../shell/query-error.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { CaseSection } from './case-section.tsx'
import { EvaluationHeader } from './evaluation-header.tsx'
import { namesOf } from './evaluation-names.ts'
import { resultsOf } from './evaluation-results.ts'
import { countExternalScores, sumOf } from './external-scores.ts'
import { FailureSection } from './failure-section.tsx'
import { GateCard } from './gate-card.tsx'
import { InsightSection } from './insight-section.tsx'
import { MetricSection } from './metric-section.tsx'
import { ProgressCard } from './progress-card.tsx'
import { useEvaluationSearch } from './use-evaluation-search.ts'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/evaluations/$evaluationId')

/** From this share of failed scores on, nothing else on the page can be understood before the reason. */
const MANY_FAILED = 0.1

export function EvaluationPage() {
  const { applicationId, componentId, evaluationId } = route.useParams()
  const key = { applicationId, componentId, evaluationId }
  const { search, change, openCases } = useEvaluationSearch()
  const { data: component } = useSuspenseQuery(componentQuery(applicationId, componentId))
  const { data: evaluation } = useSuspenseQuery(evaluationQuery(key))
  const { data: summary } = useQuery(evaluationSummaryQuery(key))
  const errors = useQuery(scoreSummaryQuery(key, 'error'))
  const values = useQuery(scoreSummaryQuery(key, 'value'))
  const isRunning = evaluation.status === 'pending' || evaluation.status === 'running'
  const live = useEvaluationProgress(key, isRunning)
  useLiveEvaluation(key, isRunning)
  const results = resultsOf(evaluation)
  const names = namesOf(evaluation, summary, results)
  const metrics = metricNames(evaluation, values.data?.data.map(({ evaluator }) => evaluator) ?? [])
  const summaryError = errors.error ?? values.error
  const failures = summaryError ? (
    <QueryError
      query={{
        error: summaryError,
        isFetching: errors.isFetching || values.isFetching,
        refetch: () => Promise.all([errors.refetch(), values.refetch()]),
      }}
    />
  ) : (
    errors.data && <FailureSection summary={errors.data} onOpenCases={openCases} />
  )
  const { total, failed } = live.progress ?? evaluation.progress
  const isReasonFirst = failed > 0 && (results === null || failed >= MANY_FAILED * total)
  return (
    <>
      <TopRow
        parents={[
          { label: component.name, to: pagePaths.component(applicationId, componentId) },
          { label: 'Evaluations', to: pagePaths.componentPart(applicationId, componentId, 'evaluations') },
        ]}
        current={names.title}
      >
        <CopyLink />
      </TopRow>
      <div className={search.score ? peekRoomClass : ''}>
        <PageBody width="wide">
          <EvaluationHeader
            evaluationKey={key}
            evaluation={evaluation}
            names={names}
            spentUsd={live.spentUsd}
            undelivered={sumOf(countExternalScores(evaluation, values.data?.data ?? [], 'skipped'))}
          />
          {evaluation.error && <FailedNotice evaluation={evaluation} />}
          {isRunning && (
            <ProgressCard evaluation={evaluation} live={live} groups={values.data?.data} errors={errors.data?.data} />
          )}
          {isReasonFirst && <div className="mt-6">{failures}</div>}
          {results && (
            <>
              <GateCard
                evaluationKey={key}
                evaluation={evaluation}
                results={results}
                names={names}
                onOpenCases={openCases}
              />
              <MetricSection
                evaluation={evaluation}
                results={results}
                summary={summary}
                groups={values.data?.data}
                names={names}
                onOpenCases={openCases}
              />
            </>
          )}
          <div
            className={`mt-8 grid items-start gap-x-6 gap-y-8 empty:hidden ${isReasonFirst || errors.data?.data.length === 0 ? '' : 'rail:grid-cols-2'}`}
          >
            {!isReasonFirst && failures}
            {results && <InsightSection applicationId={applicationId} results={results} />}
          </div>
          <CaseSection evaluationKey={key} metrics={metrics} search={search} onChange={change} />
        </PageBody>
      </div>
    </>
  )
}

function FailedNotice({ evaluation: { error } }: { evaluation: EvaluationDetail }) {
  const isCancelled = error === 'cancelled'
  return (
    <div className={`mt-4 flex gap-3 rounded-control px-4 py-3 ${isCancelled ? 'bg-sunken' : 'bg-danger-wash'}`}>
      <CircleX aria-hidden className={`mt-1 size-4 shrink-0 ${isCancelled ? 'text-soft' : 'text-danger'}`} />
      <p className="min-w-0 wrap-anywhere">
        {isCancelled
          ? 'It was canceled. The scores that it has stay; “Continue” makes the others.'
          : settingsInWords(error ?? '')}
      </p>
    </div>
  )
}

/** While it runs, the lists of scores are read again from time to time; the stream of the evaluation has its progress. */
function useLiveEvaluation({ applicationId }: EvaluationKey, isRunning: boolean): void {
  useLiveQuery(applicationId, ['evaluations'], apiKey(EVALUATION, applicationId))
  useLiveQuery(applicationId, ['evaluations'], apiKey(SUMMARIES, applicationId))
  const topics = isRunning ? (['evaluations'] as const) : []
  useLiveQuery(applicationId, topics, apiKey(SCORE_SUMMARY, applicationId), { pauseMs: 1_500 })
  useLiveQuery(applicationId, topics, apiKey(CASES, applicationId), { pauseMs: 5_000 })
}

/** In the order of the config; the default evaluators have none. */
function metricNames({ config, results }: EvaluationDetail, scored: string[]): string[] {
  const { evaluators } = config
  const configured = Array.isArray(evaluators)
    ? evaluators.map((one) => String(Object(one).name ?? Object(one).type))
    : []
  const measured = resultsOf({ results })?.metrics.map(({ name }) => name) ?? []
  const known = new Set([...measured, ...scored])
  return [...new Set([...configured.filter((name) => known.has(name)), ...known])]
}
