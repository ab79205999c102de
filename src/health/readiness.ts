import { AppError } from '../base/errors.ts'

export const READINESS_CHECKS = ['writes', 'jobs', 'nodes'] as const
type CheckName = (typeof READINESS_CHECKS)[number]

/** Each throws if something does not work. The message of an `AppError` is shown to callers without a key. */
export type ReadinessChecks = Record<CheckName, () => Promise<void> | void>

export type Readiness = () => Promise<{ check: CheckName; message: string }[]>

/** Returns what does not work. Calls at the same time share one run: they come without a key, and some checks write. */
export function createReadiness(checks: ReadinessChecks): Readiness {
  let running: ReturnType<Readiness> | undefined
  return () => {
    running ??= runChecks(checks).finally(() => {
      running = undefined
    })
    return running
  }
}

async function runChecks(checks: ReadinessChecks): ReturnType<Readiness> {
  const results = READINESS_CHECKS.map(async (check) => {
    try {
      await checks[check]()
      return []
    } catch (error) {
      return [{ check, message: error instanceof AppError ? error.message : 'the check failed' }]
    }
  })
  return (await Promise.all(results)).flat()
}
