import { listConnections } from '../../connections/connection-queries.ts'
import type { Connection } from '../../connections/connection-schemas.ts'
import { isChatModel } from '../../connections/default-model.ts'
import type { Queries } from '../../storage/db.ts'

const CONNECTIONS_MAX = 10_000

/** The provider of the default model of the server, which has no connection. */
const PLATFORM = 'platform'

/**
 * The name of the connection that a client means: that of this name, or else one of this kind which lists the model. Undefined if there is
 * none. For the default model of the server the name is null.
 */
export async function findProvider(
  q: Queries,
  workspaceId: string,
  { provider, targetModel }: { provider: string; targetModel: string },
): Promise<{ name: string | null } | undefined> {
  const connections = await listAll(q, workspaceId)
  const named = connections.find(({ name }) => name === provider)
  if (named) return { name: named.name }
  if (provider === PLATFORM) return { name: null }
  const listing = connections.filter(({ models }) => models.includes(targetModel))
  const found = listing.find((connection) => isOfKind(connection, provider))
  return found && { name: found.name }
}

/** For an experiment that names no model: the first one that answers questions. */
export async function findAnyModel(
  q: Queries,
  workspaceId: string,
): Promise<{ provider: string; targetModel: string } | undefined> {
  for (const { name, models } of await listAll(q, workspaceId)) {
    const targetModel = models.find(isChatModel)
    if (targetModel !== undefined) return { provider: name, targetModel }
  }
  return undefined
}

async function listAll(q: Queries, workspaceId: string): Promise<Connection[]> {
  return (await listConnections(q, workspaceId, { limit: CONNECTIONS_MAX, offset: 0 })).rows
}

function isOfKind({ kind, baseUrl }: Connection, provider: string): boolean {
  if (provider === 'google') return kind === 'gemini'
  if (provider === 'openrouter') return new URL(baseUrl).hostname === 'openrouter.ai'
  return provider === 'custom' || provider === kind
}

/** The name of a connection that lists this model. */
export async function findProviderOfModel(q: Queries, workspaceId: string, model: string): Promise<string | undefined> {
  return (await listAll(q, workspaceId)).find(({ models }) => models.includes(model))?.name
}
