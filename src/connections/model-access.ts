/** How models are reached: by the connections of an application, or by the operator's own default. */
import { NIL_ID } from '../base/ids.ts'
import { createEgress, type Egress } from '../models/egress.ts'
import { createSealer, type SealerOptions } from '../models/sealed-secret.ts'
import type { Queries } from '../storage/db.ts'
import type { ConnectionParts } from './create-connection.ts'
import { findConnection, type OpenConnection } from './find-connection.ts'

/** Whom to ask, and the way out to there. */
export type ModelSource = { connection: OpenConnection; egress: Egress }

export type ModelAccess = ConnectionParts & { byDefault: ModelSource | undefined }

export type ModelSettings = SealerOptions & {
  allowedEgress: readonly string[]
  defaultModel: { baseUrl: string; apiKey: string | undefined; model: string | undefined } | undefined
}

/** Throws a sentence about the setting that is wrong. */
export function createModelAccess(settings: ModelSettings): ModelAccess {
  const { defaultModel } = settings
  return {
    secrets: createSealer(settings),
    egress: createEgress({ allowed: settings.allowedEgress }),
    // Where the operator's own model is, is the operator's decision; it does not open that place to the connections of others.
    byDefault: defaultModel && {
      connection: defaultConnection(defaultModel),
      egress: createEgress({ allowed: [placeOf(defaultModel)] }),
    },
  }
}

/** The connection of this name, or the operator's default if none is named. Undefined if there is none; throws as `findConnection`. */
export async function findModelSource(
  { secrets, egress, byDefault }: ModelAccess,
  q: Queries,
  { workspaceId, name }: { workspaceId: string; name: string | undefined },
): Promise<ModelSource | undefined> {
  if (name === undefined) return byDefault
  const connection = await findConnection(q, secrets, workspaceId, name)
  return connection && { connection, egress }
}

function defaultConnection({ baseUrl, apiKey, model }: NonNullable<ModelSettings['defaultModel']>): OpenConnection {
  return {
    id: NIL_ID,
    name: 'The default model of this server',
    baseUrl,
    apiKey,
    models: model === undefined ? [] : [model],
    concurrency: 4,
    requestsPerMinute: null,
  }
}

function placeOf({ baseUrl }: { baseUrl: string }): string {
  const { protocol, hostname, port } = new URL(baseUrl)
  return `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`
}
