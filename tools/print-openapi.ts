/** Writes the API description to openapi.json; with `--check`, fails if the committed file is stale. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describeRoutes } from '../src/http/openapi.ts'
import { allRoutes } from '../src/routes.ts'
import { NO_QUOTAS } from '../src/workspaces/quotas.ts'

const FILE = new URL('../openapi.json', import.meta.url)

/** The routes are only described, never called. */
function neverCalled(): never {
  throw new Error('nothing is served here')
}

const routes = allRoutes({
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
  connections: {
    secrets: { seal: neverCalled, open: neverCalled },
    egress: { check: neverCalled, agentFor: neverCalled },
  },
  estimates: {
    access: {
      secrets: { seal: neverCalled, open: neverCalled },
      egress: { check: neverCalled, agentFor: neverCalled },
      findDefault: undefined,
    },
    pricer: { price: neverCalled },
  },
  quotas: { limits: NO_QUOTAS, assertSpansLeft: neverCalled, countSpans: neverCalled, countEvaluation: neverCalled },
  workspacesPerPersonMax: 1,
  publicUrl: '',
  version: '',
  isSignupOpen: false,
  readinessChecks: [],
})
const fresh = `${JSON.stringify(describeRoutes(routes), null, 2)}\n`
if (!process.argv.includes('--check')) writeFileSync(FILE, fresh)
else if (readFileSync(FILE, 'utf8') !== fresh) {
  process.stderr.write('openapi.json is stale; run `npm run generate`\n')
  process.exitCode = 1
}
