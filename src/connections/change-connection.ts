import { recordAudit } from '../auth/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Context } from '../http/route.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { findConnectionById, findConnectionIdByName, updateConnection } from './connection-queries.ts'
import type { ChangeConnection, Connection } from './connection-schemas.ts'
import { type CheckedUrl, type ConnectionDeps, nameTaken, sealKey } from './create-connection.ts'

/**
 * Changes what is given and keeps the rest, but for the key: it was given for one address, so another address has none until it is entered
 * again. Otherwise whoever may change the address could have the key sent to a server of their own.
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
  const baseUrl = input.baseUrl?.text
  const givenKey = typeof input.apiKey === 'string' ? sealKey(secrets, input.apiKey, { workspaceId, id }) : input.apiKey
  return context.db.transaction(async (tx) => {
    // Held while looking: otherwise two at once would both find the name free, or one the address that the other changes.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Connection')
    const before = await findConnectionById(tx, workspaceId, id)
    if (!before) throw notFound('Connection')
    const named = input.name === undefined ? id : await findConnectionIdByName(tx, workspaceId, input.name)
    if (named !== undefined && named !== id) throw nameTaken()
    const isElsewhere = baseUrl !== undefined && baseUrl !== before.baseUrl
    const connection = await updateConnection(tx, workspaceId, id, {
      name: input.name,
      baseUrl,
      sealedKey: givenKey === undefined && isElsewhere ? null : givenKey,
      models: input.models && [...new Set(input.models)],
      concurrency: input.concurrency,
      requestsPerMinute: input.requestsPerMinute,
      updatedAt: timestamp(context.clock.now()),
    })
    await recordAudit(tx, context, { by, workspaceId, action: 'connection.changed', resourceId: id })
    return connection
  })
}
