import { created, ok, type Route, route } from '../http/route.ts'
import type { Ingest } from '../ingestion/ingest-spans.ts'
import { Onboarding, TestTrace } from './onboarding-schemas.ts'
import { type OnboardingDeps, readOnboarding } from './read-onboarding.ts'
import { sendTestTrace } from './send-test-trace.ts'

const tag = 'Onboarding'

export function onboardingRoutes(deps: OnboardingDeps, ingest: Ingest): Route[] {
  return [
    route({
      method: 'GET',
      path: '/onboarding',
      access: { auth: 'session', workspace: 'header', role: 'viewer' },
      summary: 'Get whether traces have arrived, which keys were used, and which were rejected',
      tag,
      responses: { 200: Onboarding },
      handle: async ({ db, principal }) => ok(await readOnboarding(db.read, deps, principal)),
    }),
    route({
      method: 'POST',
      path: '/onboarding/test-trace',
      access: { auth: 'session', workspace: 'header', role: 'editor' },
      summary: 'Create a test trace with a question, a search and an answer of a model',
      tag,
      responses: { 201: TestTrace },
      handle: async ({ principal, ...context }) => created(await sendTestTrace(context, ingest, principal)),
    }),
  ]
}
