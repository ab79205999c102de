import { recordAudit } from '../auth/audit/audit.ts'
import { AppError, badRequest, conflict, notFound } from '../base/errors.ts'
import { createdAtOf } from '../base/ids.ts'
import { invariant } from '../base/invariant.ts'
import type { Principal } from '../base/principal.ts'
import type { Egress } from '../egress/egress-guard.ts'
import type { Context } from '../http/route.ts'
import type { ProviderKind } from '../llm/chat.ts'
import type { Sealer } from '../secrets/sealed-secret.ts'
import type { DbOutsideTransaction } from '../storage/db.ts'
import { lockWorkspaceExclusive } from '../storage/dialect.ts'
import { countConnections, findConnectionIdByName, insertConnection } from './connection-queries.ts'
import type { Connection, CreateConnection, Retirement } from './connection-schemas.ts'

const CONNECTIONS_MAX = 50
const CONCURRENCY_DEFAULT = 4

/** The URLs of the providers, for connections that name none. */
const BASE_URLS: Readonly<Record<ProviderKind, string>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
}

/** `secrets` encrypts keys; `egress` checks base URLs. */
export type ConnectionDeps = { secrets: Sealer; egress: Egress }

/** `baseUrl` is the result of `checkBaseUrl`; undefined if none is given. */
export async function createConnection(
  { secrets, ...context }: Context & Pick<ConnectionDeps, 'secrets'>,
  by: Principal,
  { baseUrl, kind = 'openai', ...input }: Omit<CreateConnection, 'baseUrl'> & { baseUrl: CheckedUrl | undefined },
): Promise<Connection> {
  const { workspaceId } = by
  const { name, apiKey } = input
  const id = context.newId()
  const createdAt = createdAtOf(id)
  const connection = {
    workspaceId,
    id,
    name,
    kind,
    baseUrl: baseUrl?.text ?? BASE_URLS[kind],
    sealedKey: apiKey === undefined ? null : sealKey(secrets, apiKey, { workspaceId, id }),
    models: [...new Set(input.models ?? [])],
    retirements: checkedRetirements(input.retirements ?? []),
    concurrency: input.concurrency ?? CONCURRENCY_DEFAULT,
    requestsPerMinute: input.requestsPerMinute ?? null,
    createdAt,
    updatedAt: createdAt,
  }
  return context.db.transaction(async (tx) => {
    // Locked, so that concurrent requests can neither exceed the limit nor use the same name.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Workspace')
    if ((await countConnections(tx, workspaceId)) >= CONNECTIONS_MAX) {
      throw conflict(`An application has at most ${CONNECTIONS_MAX} connections; delete one first`)
    }
    if (await findConnectionIdByName(tx, workspaceId, name)) throw nameTaken()
    const stored = await insertConnection(tx, connection)
    await recordAudit(tx, context, { by, workspaceId, action: 'connection.created', resourceId: id })
    return stored
  })
}

/** Throws 400 for a day that no calendar has, and for a model that ends twice. */
export function checkedRetirements(retirements: readonly Retirement[]): readonly Retirement[] {
  const models = new Set<string>()
  for (const { model, on } of retirements) {
    // Others roll over: the 31st of June would become the 1st of July.
    if (!Number.isFinite(Date.parse(on)) || new Date(on).toISOString().slice(0, 10) !== on)
      throw badRequest(`The field retirements has the day ${on} for ${model}, which is not in the calendar`)
    if (models.has(model)) throw badRequest(`The field retirements names ${model} twice; keep one of its days`)
    models.add(model)
  }
  return retirements
}

export function nameTaken() {
  return conflict('Another connection of this application has this name')
}

/** The base URL after a change of the kind: that of the new provider, if it was that of the old one; undefined if it stays. */
export function baseUrlAfter(
  before: { kind: ProviderKind; baseUrl: string },
  kind: ProviderKind | undefined,
): string | undefined {
  return kind !== undefined && before.baseUrl === BASE_URLS[before.kind] ? BASE_URLS[kind] : undefined
}

/** An allowed base URL in normalized form, so that a change can be detected. */
export type CheckedUrl = { readonly text: string }

/** Queries DNS, so it must not be called inside a transaction. Undefined if no URL is given. */
export async function checkBaseUrl(
  { db, egress }: { db: DbOutsideTransaction; egress: Egress },
  text: string | undefined,
): Promise<CheckedUrl | undefined> {
  if (text === undefined) return undefined
  const { origin, pathname, search } = await allowedUrl({ db, egress }, text)
  return { text: `${origin}${pathname.replace(/\/+$/, '')}${search}` }
}

/** Throws 400 that names the field `baseUrl`. Must not be called inside a transaction either. */
export async function allowedUrl(
  { db, egress }: { db: DbOutsideTransaction; egress: Egress },
  text: string,
): Promise<URL> {
  invariant(!db.inTransaction, 'a transaction must not wait for DNS')
  try {
    return await egress.check(text)
  } catch (error) {
    // In a new base URL, an unknown host name is a client error.
    if (!(error instanceof AppError) || (error.status !== 400 && error.status !== 503)) throw error
    const [first = '', ...rest] = error.message
    throw badRequest(`The field baseUrl cannot be used: ${first.toLowerCase()}${rest.join('')}`)
  }
}

/** The location that a sealed key is bound to; it cannot be opened with another one. */
export function keyLocation({ workspaceId, id }: { workspaceId: string; id: string }) {
  return { workspaceId, table: 'model_connections', column: 'sealed_key', rowId: id }
}

export function sealKey(secrets: Sealer, apiKey: string, connection: { workspaceId: string; id: string }): string {
  // The key is sent as a header; a copied line break would make every call fail.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw badRequest('The field apiKey must contain only printable ASCII characters, without spaces and line breaks')
  }
  return secrets.seal(apiKey, keyLocation(connection))
}
