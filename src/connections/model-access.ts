/** Access to models, by the connections of an application or the default model of the operator. */

import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/log.ts'
import { createEgress, type Egress } from '../egress/egress-guard.ts'
import { createSealer, type SealerOptions } from '../secrets/sealed-secret.ts'
import type { Queries } from '../storage/db.ts'
import type { ConnectionDeps } from './create-connection.ts'
import { createDefaultModel, type DefaultModel, type DefaultModelSettings } from './default-model.ts'
import { findConnection, type OpenConnection } from './find-connection.ts'

/** The connection to call, and the egress to use for it. */
export type ModelSource = { connection: OpenConnection; egress: Egress; problem?: string }

/** `findDefault` requests the provider's models if the setting names none; undefined if there is no default. */
export type ModelAccess = ConnectionDeps & { findDefault: ((now: number) => Promise<DefaultModel>) | undefined }

type ModelSettings = SealerOptions & {
  allowedEgress: readonly string[]
  allowableEgress: readonly string[]
  defaultModel: DefaultModelSettings | undefined
}

/** Throws if a setting is invalid. `listAllowed` returns the targets that admins have allowed. */
export function createModelAccess(
  settings: ModelSettings,
  listAllowed: () => Promise<readonly string[]> = async () => [],
): ModelAccess {
  const { defaultModel, allowedEgress: allowed, allowableEgress: allowable } = settings
  return {
    secrets: createSealer(settings),
    egress: createEgress({ allowed, byAdmins: { allowable, listAllowed } }),
    findDefault: defaultModel && createDefaultModel(defaultModel),
  }
}

/** The connection of this name, or the default model without a name. Undefined if there is none; throws like `findConnection`. */
export async function findModelSource(
  { secrets, egress, findDefault }: ModelAccess,
  q: Queries,
  { workspaceId, name, now }: { workspaceId: string; name: string | undefined; now: number },
): Promise<ModelSource | undefined> {
  if (name === undefined) return findDefault?.(now)
  const connection = await findConnection(q, secrets, workspaceId, name)
  return connection && { connection, egress }
}

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
