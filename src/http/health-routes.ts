import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { ok, type Route, route } from './route.ts'
import { closed } from './schemas.ts'

const HealthStatus = closed({ status: Type.Literal('ok') })
const access = {
  auth: 'none',
  reason: 'called by health probes, which have no key; reports only whether the server is healthy',
} as const

/** What does not work, and a sentence about it. */
export type ReadinessProblem = { check: string; message: string }

export function healthRoutes(readProblems: () => Promise<ReadinessProblem[]>): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      ignoresOtherParameters: true,
      access,
      summary: 'Check that the process is running',
      tag: 'Health',
      responses: { 200: HealthStatus },
      handle: async () => ok({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      ignoresOtherParameters: true,
      access,
      summary:
        'Check that the server is ready: the database is writable, its nodes can be reached, and jobs are running',
      tag: 'Health',
      responses: { 200: HealthStatus },
      handle: async () => {
        const problems = await readProblems()
        if (problems.length === 0) return ok({ status: 'ok' })
        const list = problems.map(({ check, message }) => `${check}: ${message}`).join('. ')
        throw new AppError(503, `The server is not ready. ${list}`, { headers: { 'retry-after': '5' } })
      },
    }),
  ]
}
