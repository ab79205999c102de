/** All routes, ordered by URL. Only routes in this list are served. */

import { getDatasetAgreement, getRunAgreement } from './agreement/agreement-routes.ts'
import { getRunDisagreements, putResolution, removeResolution } from './agreement/disagreement-routes.ts'
import {
  getAnnotationPolicy,
  putAnnotationPolicy,
  removeRunAnnotationPolicy,
} from './annotations/annotation-policy-routes.ts'
import {
  deleteRunAnnotation,
  getCorrectedOutput,
  getDatasetAnnotations,
  getRunAnnotations,
  postAnnotationUndo,
  postRunAnnotation,
  putCorrectedOutput,
} from './annotations/annotation-routes.ts'
import {
  deleteOwnTraceAnnotation,
  getAnnotationsOfTrace,
  getTraceAnnotation,
  putTraceAnnotation,
} from './annotations/of-traces/trace-annotation-routes.ts'
import {
  deleteComment,
  getTraceComments,
  patchTraceComment,
  postTraceComment,
} from './annotations/of-traces/trace-comment-routes.ts'
import { getQueue, postQueueNext, postQueueRelease, postQueueSkip } from './annotations/queue/queue-routes.ts'
import { getRatingScheme, putRatingScheme } from './annotations/rating-scheme-routes.ts'
import { getMyWork } from './annotations/work/work-routes.ts'
import { accountRoutes } from './auth/accounts/account-routes.ts'
import { getMe } from './auth/accounts/me-route.ts'
import { lookUpPasswordReset, postPasswordReset } from './auth/accounts/password-reset-routes.ts'
import { getApiKeys, postApiKey, removeApiKey } from './auth/api-keys/api-key-routes.ts'
import { getAuditLog } from './auth/audit/audit-routes.ts'
import { lookUpInvitation, postInvitationAccept, postInvitationSignUp } from './auth/members/invitation-routes.ts'
import { memberRoutes } from './auth/members/member-routes.ts'
import { type SignInOptions, setupRoutes } from './auth/setup/setup-routes.ts'
import { JsonText } from './base/json.ts'
import { compareCandidates, getComparison } from './comparisons/comparison-routes.ts'
import { preferenceRoutes } from './comparisons/preference-routes.ts'
import { getComparisonReport } from './comparisons/report/comparison-report-routes.ts'
import {
  deleteComponent,
  getComponent,
  getComponents,
  patchComponent,
  postComponent,
} from './components/component-routes.ts'
import { connectionRoutes } from './connections/connection-routes.ts'
import type { ConnectionDeps } from './connections/create-connection.ts'
import { deleteDataset, getDataset, getDatasets, patchDataset, postDataset } from './datasets/dataset-routes.ts'
import { getDatasetSettings, patchDatasetSettings } from './datasets/dataset-settings-routes.ts'
import {
  getDatasetImport,
  getDatasetImports,
  postBadRows,
  postDatasetImport,
  postImportUndo,
} from './datasets/imports/import-routes.ts'
import {
  deleteDatasetItem,
  getDatasetExport,
  getDatasetItems,
  patchDatasetItem,
  postDatasetItems,
  postDatasetItemsFromQuery,
} from './datasets/item-routes.ts'
import { getTestOpenings } from './datasets/test-opening-routes.ts'
import { decisionRoutes } from './decisions/decision-routes.ts'
import { getEvaluationCases, getScoreSummary } from './evaluations/cases/case-routes.ts'
import {
  getEvaluation,
  getEvaluationEvents,
  getEvaluationScores,
  getEvaluations,
  postEvaluation,
  postEvaluationCancel,
  postEvaluationPreview,
  postEvaluationRetry,
  postEvaluationScores,
  removeEvaluation,
} from './evaluations/evaluation-routes.ts'
import { getEvaluators } from './evaluations/evaluator-routes.ts'
import type { TryDeps } from './evaluations/runner/try-cases.ts'
import { getEvents } from './events/event-routes.ts'
import { exampleDataRoutes } from './example-data/example-data-routes.ts'
import { getInstanceHealth } from './health/instance-health-route.ts'
import type { HealthDeps } from './health/read-health.ts'
import { healthRoutes } from './http/health-routes.ts'
import { describeRoutes } from './http/openapi.ts'
import { ok, type Route, route } from './http/route.ts'
import { anyObject } from './http/schemas.ts'
import type { Ingest } from './ingestion/ingest-spans.ts'
import { postComponentTraces } from './ingestion/native-trace-routes.ts'
import { itemListRoutes } from './item-lists/item-list-routes.ts'
import type { MailOutbox } from './mail/mail-outbox.ts'
import { onboardingRoutes } from './onboarding/onboarding-routes.ts'
import type { OnboardingDeps } from './onboarding/read-onboarding.ts'
import { getComponentOverview, getComponentSummaries } from './overviews/overview-routes.ts'
import { getRunCases } from './overviews/run-cases/run-case-routes.ts'
import { getDatasetSummaries, getEvaluationSummaries, getRunSummaries } from './overviews/summary-routes.ts'
import { getComponentTrends } from './overviews/trends/trend-routes.ts'
import { getRunMetadata, patchRunMetadata } from './runs/run-metadata-routes.ts'
import {
  deleteRun,
  getRun,
  getRuns,
  getRunTraces,
  patchRun,
  postRun,
  postRunTraces,
  postRunTracesFromQuery,
} from './runs/run-routes.ts'
import { getTraceFacets, getTraceLinks, getTraceSeries, getTraces } from './trace-lists/trace-list-routes.ts'
import { getPrices, postPrice, postReprice, removePrice } from './traces/pricing/price-routes.ts'
import { getRetention, putRetention } from './traces/retention/retention-routes.ts'
import {
  getTrace,
  getTraceMapping,
  getTraceOutline,
  getTraceSearch,
  getTraceSpan,
  getTraceSpans,
  getTraceStats,
  postTraceBulkDelete,
  removeTrace,
} from './traces/trace-routes.ts'
import { viewRoutes } from './views/view-routes.ts'
import type { Quotas } from './workspaces/quotas.ts'
import { getUsage } from './workspaces/usage-routes.ts'
import {
  deleteWorkspace,
  getAiApplication,
  getAiApplications,
  getWorkspace,
  getWorkspaces,
  patchWorkspace,
  postWorkspace,
} from './workspaces/workspace-routes.ts'

export type RouteOptions = {
  ingest: Ingest
  onboarding: OnboardingDeps
  health: HealthDeps
  connections: ConnectionDeps
  evaluations: TryDeps
  quotas: Quotas
  workspacesPerPersonMax: number
  publicUrl: string
  version: string
  signIn: SignInOptions
  mails: MailOutbox | undefined
  readinessChecks: (() => Promise<void> | void)[]
}

export function allRoutes(options: RouteOptions): Route[] {
  const routes: Route[] = [
    getAiApplication,
    getAiApplications,
    getApiKeys,
    postApiKey,
    removeApiKey,
    getAuditLog,
    getComponentSummaries,
    getComponents,
    postComponent,
    getComponent,
    patchComponent,
    deleteComponent,
    getComparison,
    compareCandidates,
    ...preferenceRoutes,
    getComparisonReport,
    ...decisionRoutes(options),
    getDatasets,
    postDataset,
    getDataset,
    patchDataset,
    deleteDataset,
    getDatasetSettings,
    patchDatasetSettings,
    getTestOpenings,
    getDatasetAgreement,
    getDatasetAnnotations,
    getDatasetExport,
    postDatasetImport,
    postBadRows,
    getDatasetImports,
    getDatasetImport,
    postImportUndo,
    getDatasetItems,
    postDatasetItems,
    postDatasetItemsFromQuery,
    patchDatasetItem,
    deleteDatasetItem,
    getComponentOverview,
    getComponentTrends,
    getDatasetSummaries,
    getRunSummaries,
    getEvaluationSummaries,
    getEvaluations,
    postEvaluation(options.evaluations, options.quotas),
    postEvaluationPreview({ ...options.evaluations, quotas: options.quotas }),
    getEvaluation,
    removeEvaluation,
    postEvaluationCancel,
    getEvaluationEvents,
    postEvaluationRetry(options.quotas),
    getEvaluationScores,
    postEvaluationScores,
    getScoreSummary,
    getEvaluationCases,
    getRuns,
    postRun,
    getRun,
    patchRun,
    deleteRun,
    getRunAgreement,
    getAnnotationPolicy,
    putAnnotationPolicy,
    removeRunAnnotationPolicy,
    getRunAnnotations,
    postRunAnnotation,
    deleteRunAnnotation,
    getCorrectedOutput,
    putCorrectedOutput,
    postAnnotationUndo,
    getRunDisagreements,
    putResolution,
    removeResolution,
    getQueue,
    postQueueNext,
    postQueueRelease,
    postQueueSkip,
    getRunTraces,
    postRunTraces,
    postRunTracesFromQuery,
    getRunCases,
    getRunMetadata,
    patchRunMetadata,
    postComponentTraces(options.ingest),
    ...connectionRoutes(options.connections),
    getEvaluators,
    getEvents(),
    ...exampleDataRoutes(options),
    ...healthRoutes(options.readinessChecks),
    ...itemListRoutes(),
    getInstanceHealth(options.health),
    lookUpInvitation,
    postInvitationAccept,
    postInvitationSignUp,
    getMe,
    ...accountRoutes,
    getMyWork,
    ...memberRoutes(options),
    ...onboardingRoutes(options.onboarding, options.ingest),
    lookUpPasswordReset,
    postPasswordReset,
    getPrices,
    postPrice,
    removePrice,
    getRatingScheme,
    putRatingScheme,
    getRetention,
    putRetention,
    ...setupRoutes(options),
    getTraces,
    postTraceBulkDelete,
    postReprice,
    getTraceFacets,
    getTraceSeries,
    getTraceStats,
    getTrace,
    removeTrace,
    getTraceAnnotation,
    putTraceAnnotation,
    deleteOwnTraceAnnotation,
    getAnnotationsOfTrace,
    getTraceComments,
    postTraceComment,
    patchTraceComment,
    deleteComment,
    getTraceLinks,
    getTraceMapping,
    getTraceOutline,
    getTraceSearch,
    getTraceSpans,
    getTraceSpan,
    ...viewRoutes,
    getWorkspace,
    getUsage(options.quotas.limits),
    getWorkspaces,
    postWorkspace(options.workspacesPerPersonMax),
    patchWorkspace,
    deleteWorkspace,
  ]
  const all: Route[] = [...routes, descriptionRoute(() => describeRoutes(all))]
  return all
}

/** The document is cached, because it is public and slower to build than most responses. */
function descriptionRoute(describeAll: () => Record<string, unknown>): Route {
  let description: JsonText | undefined
  return route({
    method: 'GET',
    path: '/openapi.json',
    access: { auth: 'none', reason: 'the description of a public interface is public' },
    summary: 'Get this OpenAPI document',
    tag: 'Description',
    responses: { 200: anyObject() },
    handle: async () => {
      description ??= new JsonText(JSON.stringify(describeAll()))
      return ok(description)
    },
  })
}
