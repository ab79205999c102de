/** Access to models, by the connections of an application or the default model of the operator. */
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

export type ModelSettings = SealerOptions & {
  allowedEgress: readonly string[]
  defaultModel: DefaultModelSettings | undefined
}

/** Throws if a setting is invalid. */
export function createModelAccess(settings: ModelSettings): ModelAccess {
  const { defaultModel } = settings
  return {
    secrets: createSealer(settings),
    egress: createEgress({ allowed: settings.allowedEgress }),
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
