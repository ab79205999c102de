import { recordAudit } from '../auth/audit/audit.ts'
import { conflict, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import type { Principal } from '../base/principal.ts'
import { allowedUrl, type CheckedUrl } from '../connections/create-connection.ts'
import type { Egress } from '../egress/egress-guard.ts'
import type { Context } from '../http/route.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import type { DbOutsideTransaction } from '../storage/db.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { readHeaders, sealHeaders } from './endpoint-headers.ts'
import { countEndpoints, findEndpointIdByName, insertEndpoint } from './endpoint-queries.ts'
import type { CreateEndpoint, Endpoint } from './endpoint-schemas.ts'

const ENDPOINTS_MAX = 50
const CONCURRENCY_DEFAULT = 4
const TIMEOUT_SECONDS_DEFAULT = 60

/** `baseUrl` is the result of `checkEndpointUrl`. */
export async function createEndpoint(
  { secrets, ...context }: Context & { secrets: Sealer },
  by: Principal,
  { baseUrl, ...input }: Omit<CreateEndpoint, 'baseUrl'> & { baseUrl: CheckedUrl },
): Promise<Endpoint> {
  const { workspaceId } = by
  const { name, requestsPerMinute = null } = input
  const id = context.newId()
  const createdAt = createdAtOf(id)
  const endpoint = {
    workspaceId,
    id,
    name,
    baseUrl: baseUrl.text,
    ...sealHeaders(secrets, readHeaders(input.headers ?? {}), { workspaceId, id }),
    concurrency: input.concurrency ?? CONCURRENCY_DEFAULT,
    requestsPerMinute,
    timeoutSeconds: input.timeoutSeconds ?? TIMEOUT_SECONDS_DEFAULT,
    createdAt,
    updatedAt: createdAt,
  }
  return context.db.transaction(async (tx) => {
    // Locked, so that concurrent requests can neither exceed the limit nor use the same name.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Workspace')
    if ((await countEndpoints(tx, workspaceId)) >= ENDPOINTS_MAX) {
      throw conflict(`An application has at most ${ENDPOINTS_MAX} endpoints; delete one first`)
    }
    if (await findEndpointIdByName(tx, workspaceId, name)) throw nameTaken()
    const stored = await insertEndpoint(tx, endpoint)
    await recordAudit(tx, context, { by, workspaceId, action: 'endpoint.created', resourceId: id })
    return stored
  })
}

export function nameTaken() {
  return conflict('Another endpoint of this application has this name')
}

/** With its path as it is: unlike that of a connection, it is called itself, and a slash at its end may matter. */
export async function checkEndpointUrl(
  deps: { db: DbOutsideTransaction; egress: Egress },
  text: string,
): Promise<CheckedUrl> {
  const { origin, pathname, search } = await allowedUrl(deps, text)
  return { text: `${origin}${pathname}${search}` }
}
