/** Every route, in the order of its URL. What is not in this list does not exist. */
import { Type } from 'typebox'
import {
  deleteRunAnnotation,
  getDatasetAnnotations,
  getRunAnnotations,
  postRunAnnotation,
} from './annotations/annotation-routes.ts'
import { getApiKeys, postApiKey, removeApiKey } from './auth/api-key-routes.ts'
import { getAuditLog } from './auth/audit-routes.ts'
import { acceptInvitation, lookUpInvitation } from './auth/invitation-routes.ts'
import { getMe } from './auth/me-route.ts'
import { memberRoutes } from './auth/member-routes.ts'
import { setupRoutes } from './auth/setup-routes.ts'
import { deleteComponent, getComponent, getComponents, postComponent } from './components/component-routes.ts'
import { deleteDataset, getDataset, getDatasets, postDataset } from './datasets/dataset-routes.ts'
import { getEvaluation, getEvaluations, postEvaluation } from './evaluations/evaluation-routes.ts'
import { healthRoutes } from './http/health-routes.ts'
import { describe } from './http/openapi.ts'
import { ok, type Route, route } from './http/route.ts'
import { deleteRun, getRun, getRuns, postRun } from './runs/run-routes.ts'
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
  publicUrl: string
  version: string
  isSignupOpen: boolean
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
    getComponents,
    postComponent,
    getComponent,
    deleteComponent,
    getDatasets,
    postDataset,
    getDataset,
    deleteDataset,
    getDatasetAnnotations,
    getEvaluations,
    postEvaluation,
    getEvaluation,
    getRuns,
    postRun,
    getRun,
    deleteRun,
    getRunAnnotations,
    postRunAnnotation,
    deleteRunAnnotation,
    ...healthRoutes(options.readinessChecks),
    lookUpInvitation,
    acceptInvitation,
    getMe,
    ...memberRoutes(options.publicUrl),
    ...setupRoutes(options),
    getWorkspace,
    getWorkspaces,
    postWorkspace,
    patchWorkspace,
    deleteWorkspace,
  ]
  const all: Route[] = [...routes, descriptionRoute(() => describe(all))]
  return all
}

function descriptionRoute(description: () => Record<string, unknown>): Route {
  return route({
    method: 'GET',
    path: '/openapi.json',
    access: { auth: 'none', reason: 'the description of a public interface is public' },
    summary: 'This description',
    tag: 'Description',
    responses: { 200: Type.Unsafe<Record<string, unknown>>({ type: 'object' }) },
    handle: async () => ok(description()),
  })
}
