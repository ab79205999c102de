/** `GET /models`, on the path of the public client of the original service: what its `models list` shows. */
import { Type } from 'typebox'
import { ok, type Route, route } from '../http/route.ts'
import { closed, listOf } from '../http/schemas.ts'
import { listConnections } from './connection-queries.ts'
import type { Connection } from './connection-schemas.ts'
import { isChatModel } from './default-model.ts'
import type { ModelAccess } from './model-access.ts'

const GROUPS = ['openai', 'platform', 'google', 'custom', 'openrouter'] as const

/** As many connections as an application may have, and more. */
const CONNECTIONS_MAX = 10_000

const ListedModel = closed(
  {
    id: Type.String({ description: 'The name of the model, as requests name it.' }),
    name: Type.String(),
    provider: Type.String({
      description: 'The name of the connection; `platform` for the default model of the server.',
    }),
    group: Type.Enum(GROUPS, { type: 'string' }),
    judgeEligible: Type.Boolean({ description: 'Whether it answers questions, unlike a model for embeddings.' }),
  },
  { title: 'ListedModel' },
)

export function modelListRoutes({ findDefault }: Pick<ModelAccess, 'findDefault'>): Route[] {
  const getModels = route({
    method: 'GET',
    path: '/models',
    access: { auth: 'key-or-session', workspace: 'header', role: 'viewer' },
    summary: 'List the models of all connections, and the default model of the server',
    tag: 'Model connections',
    responses: { 200: listOf(ListedModel) },
    // The default model may have to be asked for once.
    prepare: async ({ clock }) => (await findDefault?.(clock.now()))?.connection.models ?? [],
    handle: async ({ db, principal, prepared: ofServer }) => {
      const { rows } = await listConnections(db.read, principal.workspaceId, { limit: CONNECTIONS_MAX, offset: 0 })
      const own = rows.flatMap((connection) =>
        connection.models.map((id) => listed(id, connection.name, groupOf(connection))),
      )
      return ok({ data: [...own, ...ofServer.map((id) => listed(id, PLATFORM, PLATFORM))] })
    },
  })
  return [getModels]
}

/** The provider of the default model of the server. */
const PLATFORM = 'platform'

function listed(id: string, provider: string, group: (typeof GROUPS)[number]) {
  return { id, name: id, provider, group, judgeEligible: isChatModel(id) }
}

function groupOf({ kind, baseUrl }: Pick<Connection, 'kind' | 'baseUrl'>): (typeof GROUPS)[number] {
  if (kind === 'gemini') return 'google'
  const { hostname } = new URL(baseUrl)
  if (hostname === 'openrouter.ai') return 'openrouter'
  return kind === 'openai' && hostname === 'api.openai.com' ? 'openai' : 'custom'
}
