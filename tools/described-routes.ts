import type { Route } from '../src/http/route.ts'
import { allRoutes } from '../src/routes.ts'
import { NO_QUOTAS } from '../src/workspaces/quotas.ts'

/** All routes, for programs that read their descriptions and never call them. */
export function describedRoutes(): Route[] {
  const modelAccess = {
    secrets: { seal: neverCalled, open: neverCalled },
    egress: { check: neverCalled, agentFor: neverCalled },
  }
  return allRoutes({
    ingest: neverCalled,
    health: {
      version: '',
      storage: { engine: '', readSize: neverCalled, readVersion: neverCalled },
      readSearchIndex: neverCalled,
      startedAtMs: 0,
      eventLoop: neverCalled,
      worker: neverCalled,
    },
    onboarding: {
      rejectedKeys: { record: neverCalled, listUnknown: neverCalled, listOfWorkspace: neverCalled, sinceMs: 0 },
      publicUrl: '',
      grpcUrl: neverCalled,
    },
    connections: modelAccess,
    estimates: { access: { ...modelAccess, findDefault: undefined }, pricer: { price: neverCalled } },
    quotas: { limits: NO_QUOTAS, assertSpansLeft: neverCalled, countSpans: neverCalled, countEvaluation: neverCalled },
    workspacesPerPersonMax: 1,
    publicUrl: '',
    version: '',
    isSignupOpen: false,
    readinessChecks: [],
  })
}

function neverCalled(): never {
  throw new Error('These routes are only described')
}
