import { ok, type Route, route } from '../http/route.ts'
import { InstanceHealth } from './health-schemas.ts'
import { type HealthDeps, readHealth } from './read-health.ts'

export function getInstanceHealth(deps: HealthDeps): Route {
  return route({
    method: 'GET',
    path: '/instance/health',
    access: { auth: 'session', workspace: 'header', role: 'admin' },
    summary: 'Get the state of jobs and ingestion and, for admins of all applications, of the installation',
    tag: 'Health',
    responses: { 200: InstanceHealth },
    handle: async ({ db, clock, principal }) => ok(await readHealth(db.read, clock, deps, principal)),
  })
}
