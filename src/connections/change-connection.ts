import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { findConnectionById, findConnectionIdByName, updateConnection } from './connection-queries.ts'
import type { ChangeConnection, Connection } from './connection-schemas.ts'
import {
  baseUrlAfter,
  type CheckedUrl,
  type ConnectionDeps,
  checkedRetirements,
  nameTaken,
  sealKey,
} from './create-connection.ts'

/**
 * Updates only the given fields. A new base URL removes the key unless the key is given again: otherwise a user who may change the URL
 * could have the key sent to their own server.
 */
export async function changeConnection(
  { secrets, ...context }: Context & Pick<ConnectionDeps, 'secrets'>,
  by: Principal,
  {
    connectionId: id,
    ...input
  }: Omit<ChangeConnection, 'baseUrl'> & {
    connectionId: string
    baseUrl: CheckedUrl | undefined
  },
): Promise<Connection> {
  const { workspaceId } = by
  const newKey = typeof input.apiKey === 'string' ? sealKey(secrets, input.apiKey, { workspaceId, id }) : input.apiKey
  return context.db.transaction(async (tx) => {
    // Locked, so that concurrent changes see each other's names and base URLs.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Connection')
    const before = await findConnectionById(tx, workspaceId, id)
    if (!before) throw notFound('Connection')
    const named = input.name === undefined ? id : await findConnectionIdByName(tx, workspaceId, input.name)
    if (named !== undefined && named !== id) throw nameTaken()
    const baseUrl = input.baseUrl?.text ?? baseUrlAfter(before, input.kind)
    const isNewBaseUrl = baseUrl !== undefined && baseUrl !== before.baseUrl
    const connection = await updateConnection(tx, workspaceId, id, {
      name: input.name,
      kind: input.kind,
      baseUrl,
      sealedKey: newKey === undefined && isNewBaseUrl ? null : newKey,
      models: input.models && [...new Set(input.models)],
      retirements: input.retirements && checkedRetirements(input.retirements),
      concurrency: input.concurrency,
      requestsPerMinute: input.requestsPerMinute,
      updatedAt: timestamp(context.clock.now()),
    })
    await recordAudit(tx, context, { by, workspaceId, action: 'connection.changed', resourceId: id })
    return connection
  })
}
