import { createLogger } from '../src/base/log.ts'
import type { Route } from '../src/http/route.ts'
import { allRoutes } from '../src/routes.ts'
import { NO_QUOTAS } from '../src/workspaces/quotas.ts'

/** All routes, for programs that read their descriptions and never call them. */
export function describedRoutes(): Route[] {
  const modelAccess = {
    secrets: { seal: neverCalled, open: neverCalled },
    egress: { check: neverCalled, agentFor: neverCalled, checkAllowable: neverCalled },
  }
  const models = {
    access: { ...modelAccess, findDefault: undefined },
    pricer: { price: neverCalled },
    hostLimits: { run: neverCalled, pause: neverCalled },
    log: createLogger('silent'),
    callTimeoutMs: 0,
  }
  const quotas = {
    limits: NO_QUOTAS,
    assertSpansLeft: neverCalled,
    countSpans: neverCalled,
    countEvaluation: neverCalled,
    assertEvaluationsLeft: neverCalled,
  }
  return allRoutes({
    ingest: neverCalled,
    linker: { findDatasets: neverCalled, linkTraces: neverCalled },
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
    evaluations: { ...models, retryPauseMs: 0, pauseSeconds: 0, previewTimeoutMs: 0 },
    playground: { ...models, quotas, ingest: neverCalled, start: neverCalled, close: neverCalled },
    trialCalls: { ingest: neverCalled, retryPauseMs: 0 },
    quotas,
    workspacesPerPersonMax: 1,
    publicUrl: '',
    version: '',
    signIn: { isSignupOpen: false, sendsMail: false, oidcOnly: false, oidcName: null },
    mails: undefined,
    readiness: async () => [],
  })
}

function neverCalled(): never {
  throw new Error('These routes are only described')
}
