import { Type } from 'typebox'
import { AppError } from '../base/errors.ts'
import { ok, type Route, route } from './route.ts'
import { closed } from './schemas.ts'

const HealthStatus = closed({ status: Type.Literal('ok') })
const access = {
  auth: 'none',
  reason: 'called by health probes, which have no key; reports only whether the server is healthy',
} as const

/** `checks` run in order until one throws. */
export function healthRoutes(checks: (() => Promise<void> | void)[]): Route[] {
  return [
    route({
      method: 'GET',
      path: '/health',
      access,
      summary: 'Check that the process is running',
      tag: 'Health',
      responses: { 200: HealthStatus },
      handle: async () => ok({ status: 'ok' }),
    }),
    route({
      method: 'GET',
      path: '/ready',
      access,
      summary: 'Check that the server is ready: the database is writable and jobs are running',
      tag: 'Health',
      responses: { 200: HealthStatus },
      handle: async () => {
        try {
          for (const check of checks) await check()
        } catch (error) {
          throw error instanceof AppError ? error : new AppError(503, 'The server is not ready', { cause: error })
        }
        return ok({ status: 'ok' })
      },
    }),
  ]
}
