import type { Sealer } from '../secrets/sealed-secret.ts'
import type { Queries } from '../storage/db.ts'
import { type EndpointHeaders, openHeaders } from './endpoint-headers.ts'
import { findSealedEndpoint } from './endpoint-queries.ts'

/** An endpoint with its decrypted headers, for calling it. Never put it into a response, a log or a row. */
export type OpenEndpoint = {
  id: string
  name: string
  baseUrl: string
  headers: EndpointHeaders
  concurrency: number
  requestsPerMinute: number | null
  timeoutMs: number
}

/** By its name, which trials refer to, or its id. Undefined if there is none; throws 409 if its headers cannot be decrypted. */
export async function findEndpoint(
  q: Queries,
  secrets: Sealer,
  workspaceId: string,
  by: { column: 'id' | 'name'; value: string },
): Promise<OpenEndpoint | undefined> {
  const endpoint = await findSealedEndpoint(q, workspaceId, by)
  if (!endpoint) return undefined
  const { id, name, baseUrl, concurrency, requestsPerMinute, timeoutSeconds } = endpoint
  const headers = openHeaders(secrets, workspaceId, endpoint)
  return { id, name, baseUrl, headers, concurrency, requestsPerMinute, timeoutMs: timeoutSeconds * 1_000 }
}
