/** How models are reached: by the connections of an application, or by the operator's own default. */
import { createEgress, type Egress } from '../egress/egress-guard.ts'
import { createSealer, type SealerOptions } from '../secrets/sealed-secret.ts'
import type { Queries } from '../storage/db.ts'
import type { ConnectionDeps } from './create-connection.ts'
import { createDefaultModel, type DefaultModel, type DefaultModelSettings } from './default-model.ts'
import { findConnection, type OpenConnection } from './find-connection.ts'

/** Whom to ask, and the way out to there. */
export type ModelSource = { connection: OpenConnection; egress: Egress; problem?: string }

/** `byDefault` asks the provider for its models if the operator named none; undefined where there is no default. */
export type ModelAccess = ConnectionDeps & { byDefault: ((now: number) => Promise<DefaultModel>) | undefined }

export type ModelSettings = SealerOptions & {
  allowedEgress: readonly string[]
  defaultModel: DefaultModelSettings | undefined
}

/** Throws a message about the setting that is wrong. */
export function createModelAccess(settings: ModelSettings): ModelAccess {
  const { defaultModel } = settings
  return {
    secrets: createSealer(settings),
    egress: createEgress({ allowed: settings.allowedEgress }),
    byDefault: defaultModel && createDefaultModel(defaultModel),
  }
}

/** The connection of this name, or the operator's default if none is named. Undefined if there is none; throws as `findConnection`. */
export async function findModelSource(
  { secrets, egress, byDefault }: ModelAccess,
  q: Queries,
  { workspaceId, name, now }: { workspaceId: string; name: string | undefined; now: number },
): Promise<ModelSource | undefined> {
  if (name === undefined) return byDefault?.(now)
  const connection = await findConnection(q, secrets, workspaceId, name)
  return connection && { connection, egress }
}
