import { Type } from 'typebox'
import { ok, type Route, route } from '../http/route.ts'
import { Count, closed, NullableInteger, nullable, Timestamp } from '../http/schemas.ts'
import { type HealthDeps, readHealth } from './read-health.ts'

const JobCount = closed(
  {
    kind: Type.String(),
    state: Type.Enum(['queued', 'running', 'failed'], { type: 'string' }),
    count: Count,
    /** When the oldest of them was created. */
    oldestAt: Timestamp,
  },
  { title: 'JobCount' },
)

const Installation = closed(
  {
    /** The database in use. */
    engine: Type.String(),
    engineVersion: Type.String(),
    databaseBytes: Count,
    searchIndex: closed({
      state: Type.Enum(['none', 'building', 'ready'], { type: 'string' }),
      bytes: NullableInteger,
      /** Spans that are not indexed yet; searches compare them one by one. Deleted spans may be among them. */
      spansBehind: NullableInteger,
    }),
    /** The server process that responds; others are not included. */
    process: closed({
      nodeVersion: Type.String(),
      startedAt: Timestamp,
      memoryBytes: Count,
      /** The share of the window in which the main thread was busy, from 0 to 1. */
      eventLoopUtilization: Type.Number({ minimum: 0, maximum: 1 }),
      windowSeconds: Count,
      /** Whether this process runs jobs; stalled if it has not looked for any for some seconds. */
      worker: Type.Enum(['running', 'stalled', 'none'], { type: 'string' }),
    }),
  },
  { title: 'InstallationHealth' },
)

const InstanceHealth = closed(
  {
    version: Type.String(),
    checkedAt: Timestamp,
    /** `installation` if the caller is an admin of all applications: only then `jobs` are those of all, and `installation` is not null. */
    scope: Type.Enum(['installation', 'application'], { type: 'string' }),
    jobs: Type.Array(JobCount),
    /** Traces of this application that arrived in the window, counted up to 10,000. */
    ingest: closed({ windowSeconds: Count, traces: Count, spansToday: Count, storedBytes: Count }),
    installation: nullable(Installation),
  },
  { title: 'InstanceHealth' },
)

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
