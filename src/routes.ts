/** All routes, ordered by URL. Only routes in this list are served. */

import { getDatasetAgreement, getRunAgreement } from './agreement/agreement-routes.ts'
import { disagreementRoutes } from './agreement/disagreement-routes.ts'
import { annotationPolicyRoutes } from './annotations/annotation-policy-routes.ts'
import { getDatasetAnnotations, runAnnotationRoutes } from './annotations/annotation-routes.ts'
import { listBlindRuns } from './annotations/blind-annotation-queries.ts'
import { traceAnnotationRoutes } from './annotations/of-traces/trace-annotation-routes.ts'
import { traceCommentRoutes } from './annotations/of-traces/trace-comment-routes.ts'
import { queueRoutes } from './annotations/queue/queue-routes.ts'
import { ratingSchemeRoutes } from './annotations/rating-scheme-routes.ts'
import { getMyWork } from './annotations/work/work-routes.ts'
import { accountRoutes } from './auth/accounts/account-routes.ts'
import { getMe } from './auth/accounts/me-route.ts'
import { passwordResetRoutes } from './auth/accounts/password-reset-routes.ts'
import { apiKeyRoutes } from './auth/api-keys/api-key-routes.ts'
import { getAuditLog } from './auth/audit/audit-routes.ts'
import { invitationRoutes } from './auth/members/invitation-routes.ts'
import { memberRoutes } from './auth/members/member-routes.ts'
import { securitySettingRoutes } from './auth/members/security-setting-routes.ts'
import { type SignInOptions, setupRoutes } from './auth/setup/setup-routes.ts'
import { comparisonRoutes } from './comparisons/comparison-routes.ts'
import { preferenceRoutes } from './comparisons/preferences/preference-routes.ts'
import { getComparisonReport } from './comparisons/report/comparison-report-routes.ts'
import { componentRoutes } from './components/component-routes.ts'
import { connectionRoutes } from './connections/connection-routes.ts'
import type { ConnectionDeps } from './connections/create-connection.ts'
import { modelListRoutes } from './connections/model-list-routes.ts'
import { caseRoutes } from './datasets/cases/case-routes.ts'
import { datasetRoutes } from './datasets/dataset-routes.ts'
import { datasetSettingsRoutes } from './datasets/dataset-settings-routes.ts'
import { importRoutes } from './datasets/imports/import-routes.ts'
import { getDatasetExport, itemRoutes } from './datasets/items/item-routes.ts'
import { getTestOpenings } from './datasets/splits/test-opening-routes.ts'
import { decisionRoutes } from './decisions/decision-routes.ts'
import { deploymentRoutes } from './deployments/deployment-routes.ts'
import { measureVerdicts } from './deployments/measure-verdicts.ts'
import { endpointRoutes } from './endpoints/endpoint-routes.ts'
import { evaluationCaseRoutes } from './evaluations/cases/case-routes.ts'
import { evaluationRoutes } from './evaluations/evaluation-routes.ts'
import { getEvaluators } from './evaluations/evaluator-routes.ts'
import type { TryDeps } from './evaluations/runner/try-cases.ts'
import { getEvents } from './events/event-routes.ts'
import { exampleDataRoutes } from './example-data/example-data-routes.ts'
import { experimentRoutes } from './experiments/experiment-routes.ts'
import { allowedTargetRoutes } from './health/allowed-target-routes.ts'
import { getInstanceHealth } from './health/instance-health-route.ts'
import type { HealthDeps } from './health/read-health.ts'
import type { Readiness } from './health/readiness.ts'
import { healthRoutes } from './http/health-routes.ts'
import { describeRoutes } from './http/openapi.ts'
import { PreparedBody } from './http/prepared-body.ts'
import { type Route, route } from './http/route.ts'
import { anyObject } from './http/schemas.ts'
import type { Ingest } from './ingestion/ingest-spans.ts'
import type { TraceLinker } from './ingestion/link-arrived-traces.ts'
import { postComponentTraces } from './ingestion/native-trace-routes.ts'
import { itemListRoutes } from './item-lists/item-list-routes.ts'
import type { MailOutbox } from './mail/mail-outbox.ts'
import { onboardingRoutes } from './onboarding/onboarding-routes.ts'
import type { OnboardingDeps } from './onboarding/read-onboarding.ts'
import { unknownComponentRoutes } from './onboarding/unknown-components/unknown-component-routes.ts'
import { promptSummaryRoutes } from './overviews/of-prompts/prompt-summary-routes.ts'
import { getComponentOverview, getComponentSummaries } from './overviews/overview-routes.ts'
import { getRunCases } from './overviews/run-cases/run-case-routes.ts'
import { summaryRoutes } from './overviews/summary-routes.ts'
import { getComponentTrends } from './overviews/trends/trend-routes.ts'
import type { Playground } from './playground/create-playground.ts'
import { playgroundRoutes } from './playground/playground-routes.ts'
import { labelRoutes } from './prompts/label-routes.ts'
import { promptRoutes } from './prompts/prompt-routes.ts'
import { servedPromptRoutes } from './prompts/served-prompt-routes.ts'
import { versionRoutes } from './prompts/version-routes.ts'
import { runMetadataRoutes } from './runs/run-metadata-routes.ts'
import { runRoutes, runTraceRoutes } from './runs/run-routes.ts'
import { spendingRoutes } from './spending/spending-routes.ts'
import { getTraceLinks, getTraces, getTracesExport, traceChartRoutes } from './trace-lists/trace-list-routes.ts'
import { postReprice, priceRoutes } from './traces/pricing/price-routes.ts'
import { retentionRoutes } from './traces/retention/retention-routes.ts'
import { traceSettingRoutes } from './traces/settings/trace-setting-routes.ts'
import { postTraceBulkDelete, traceContentRoutes, traceRoutes } from './traces/trace-routes.ts'
import { type CallDeps, trialCallRoutes } from './trials/calls/call-routes.ts'
import { getTrialMatrix } from './trials/matrix/matrix-routes.ts'
import { trialRoutes } from './trials/trial-routes.ts'
import { viewRoutes } from './views/view-routes.ts'
import type { Quotas } from './workspaces/quotas.ts'
import { aiApplicationRoutes, workspaceRoutes } from './workspaces/workspace-routes.ts'

export type RouteOptions = {
  ingest: Ingest
  linker: TraceLinker
  onboarding: OnboardingDeps
  health: HealthDeps
  connections: ConnectionDeps
  evaluations: TryDeps
  playground: Playground
  trialCalls: CallDeps
  quotas: Quotas
  workspacesPerPersonMax: number
  publicUrl: string
  version: string
  signIn: SignInOptions
  mails: MailOutbox | undefined
  readiness: Readiness
}

export function allRoutes(options: RouteOptions): Route[] {
  const routes: Route[] = [
    ...aiApplicationRoutes(),
    ...apiKeyRoutes,
    getAuditLog,
    getComponentSummaries,
    ...componentRoutes,
    ...comparisonRoutes,
    ...preferenceRoutes,
    getComparisonReport,
    ...decisionRoutes(options),
    ...datasetRoutes,
    ...datasetSettingsRoutes,
    getTestOpenings,
    getDatasetAgreement,
    getDatasetAnnotations,
    getDatasetExport,
    ...importRoutes,
    ...itemRoutes,
    ...caseRoutes,
    getComponentOverview,
    getComponentTrends,
    ...summaryRoutes,
    ...evaluationRoutes({ ...options.evaluations, quotas: options.quotas }),
    ...evaluationCaseRoutes,
    ...runRoutes,
    getRunAgreement,
    ...annotationPolicyRoutes,
    ...runAnnotationRoutes,
    ...disagreementRoutes,
    ...queueRoutes,
    ...runTraceRoutes,
    getRunCases,
    ...runMetadataRoutes,
    postComponentTraces(options.ingest),
    ...trialRoutes(options.evaluations),
    ...trialCallRoutes(options.trialCalls),
    getTrialMatrix,
    ...experimentRoutes(options.evaluations),
    ...promptRoutes,
    ...versionRoutes({ measureVerdicts }),
    ...labelRoutes({ measureVerdicts, listBlindRuns }),
    ...deploymentRoutes,
    ...playgroundRoutes(options.playground),
    ...servedPromptRoutes(),
    ...promptSummaryRoutes,
    ...connectionRoutes(options.connections),
    ...modelListRoutes(options.evaluations.access),
    ...endpointRoutes({ ...options.connections, hostLimits: options.evaluations.hostLimits }),
    getEvaluators,
    getEvents(),
    ...exampleDataRoutes(options),
    ...healthRoutes(options.readiness),
    ...itemListRoutes(),
    getInstanceHealth(options.health),
    ...allowedTargetRoutes(options.connections),
    ...invitationRoutes,
    getMe,
    ...accountRoutes,
    getMyWork,
    ...memberRoutes(options),
    ...securitySettingRoutes,
    ...onboardingRoutes(options.onboarding, options.ingest),
    ...passwordResetRoutes,
    ...priceRoutes,
    ...ratingSchemeRoutes,
    ...retentionRoutes,
    ...setupRoutes(options),
    ...spendingRoutes,
    getTraces,
    postTraceBulkDelete,
    postReprice,
    ...traceChartRoutes,
    getTracesExport,
    ...traceRoutes,
    ...traceAnnotationRoutes,
    ...traceCommentRoutes,
    getTraceLinks,
    ...traceContentRoutes,
    ...traceSettingRoutes,
    ...unknownComponentRoutes(options.linker),
    ...viewRoutes,
    ...workspaceRoutes({ ...options, quotas: options.quotas.limits }),
  ]
  const all: Route[] = [...routes, descriptionRoute(() => describeRoutes(all))]
  return all
}

const DESCRIPTION_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-cache',
  vary: 'accept-encoding',
}

/** The document is built once, because it is public and slower to build than most responses. */
function descriptionRoute(describeAll: () => Record<string, unknown>): Route {
  let body: PreparedBody | undefined
  return route({
    method: 'GET',
    path: '/openapi.json',
    ignoresOtherParameters: true,
    access: { auth: 'none', reason: 'the description of a public interface is public' },
    summary: 'Get this OpenAPI document',
    tag: 'Description',
    responses: { 200: anyObject(), 304: null },
    handle: async () => {
      body ??= new PreparedBody(Buffer.from(JSON.stringify(describeAll())), { isCompressible: true })
      return { status: 200, headers: DESCRIPTION_HEADERS, body }
    },
  })
}
