import { recordAudit } from '../auth/audit/audit.ts'
import { timestamp } from '../base/clock.ts'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { CheckedUrl } from '../connections/create-connection.ts'
import type { Context } from '../http/route.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { nameTaken } from './create-endpoint.ts'
import { mergeHeaders, openHeaders, readHeaders, sealHeaders } from './endpoint-headers.ts'
import { findEndpointIdByName, findSealedEndpoint, updateEndpoint } from './endpoint-queries.ts'
import type { ChangeEndpoint, Endpoint } from './endpoint-schemas.ts'

/**
 * Updates only the given fields. A new base URL removes the headers that the request does not set again: otherwise a user who may change
 * the URL could have them sent to their own server.
 */
export async function changeEndpoint(
  { secrets, ...context }: Context & { secrets: Sealer },
  by: Principal,
  {
    endpointId: id,
    ...input
  }: Omit<ChangeEndpoint, 'baseUrl'> & {
    endpointId: string
    baseUrl: CheckedUrl | undefined
  },
): Promise<Endpoint> {
  const { workspaceId } = by
  const changes = input.headers && readHeaders(input.headers)
  return context.db.transaction(async (tx) => {
    // Locked, so that concurrent changes see each other's names, headers and base URLs.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Endpoint')
    const before = await findSealedEndpoint(tx, workspaceId, { column: 'id', value: id })
    if (!before) throw notFound('Endpoint')
    const named = input.name === undefined ? id : await findEndpointIdByName(tx, workspaceId, input.name)
    if (named !== undefined && named !== id) throw nameTaken()
    const isNewUrl = input.baseUrl !== undefined && input.baseUrl.text !== before.baseUrl
    const names = isNewUrl ? [] : before.headerNames
    const mergedHeaders = () => mergeHeaders(names, () => openHeaders(secrets, workspaceId, before), changes ?? {})
    const endpoint = await updateEndpoint(tx, workspaceId, id, {
      name: input.name,
      baseUrl: input.baseUrl?.text,
      headers: changes || isNewUrl ? sealHeaders(secrets, mergedHeaders(), { workspaceId, id }) : undefined,
      concurrency: input.concurrency,
      requestsPerMinute: input.requestsPerMinute,
      timeoutSeconds: input.timeoutSeconds,
      updatedAt: timestamp(context.clock.now()),
    })
    await recordAudit(tx, context, { by, workspaceId, action: 'endpoint.changed', resourceId: id })
    return endpoint
  })
}
