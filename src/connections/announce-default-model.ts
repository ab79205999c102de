import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import type { ModelAccess } from './model-access.ts'

/**
 * Looks for the default model and logs which one it is. In the background: a provider that is slow must not delay the start. Never
 * rejects. Returns the logged line; undefined if there is no default model.
 */
export async function announceDefaultModel(
  { findDefault }: ModelAccess,
  { clock, log }: { clock: Clock; log: Logger },
): Promise<string | undefined> {
  if (!findDefault) return undefined
  try {
    const { connection, problem } = await findDefault(clock.now())
    const notice =
      problem ?? `Evaluations ask ${connection.models[0]} by default; TOUCHSTONE_DEFAULT_MODEL names another`
    if (problem === undefined) log.info({ models: connection.models }, notice)
    else log.warn(notice)
    return notice
  } catch (error) {
    log.error({ err: error }, 'the default model could not be looked for')
    return undefined
  }
}
