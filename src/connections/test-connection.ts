import { AppError, notFound } from '../base/errors.ts'
import { invariant } from '../base/invariant.ts'
import type { PrepareContext } from '../http/route.ts'
import { listModels } from '../llm/list-models.ts'
import { ModelError } from '../llm/model-client.ts'
import type { ConnectionTest } from './connection-schemas.ts'
import type { ConnectionDeps } from './create-connection.ts'
import { findConnectionWithKey } from './find-connection.ts'

const TIMEOUT_MS = 10_000

/** Requests the models of the endpoint. A failed request is a test result; only a missing connection is an error. */
export async function testConnection(
  { db, clock, secrets, egress }: Pick<PrepareContext, 'db' | 'clock'> & ConnectionDeps,
  workspaceId: string,
  connectionId: string,
): Promise<ConnectionTest> {
  invariant(!db.inTransaction, 'a transaction must not wait for a provider')
  try {
    const connection = await findConnectionWithKey(db.read, secrets, workspaceId, connectionId)
    if (!connection) throw notFound('Connection')
    const models = await listModels({ connection, egress, now: clock.now(), timeoutMs: TIMEOUT_MS })
    const offer = models.length === 1 ? '1 model' : `${models.length} models`
    return { ok: true, summary: `${connection.name} responded with ${offer}`, models }
  } catch (error) {
    // A key that cannot be decrypted is a test result, too.
    const isTestResult = error instanceof ModelError || (error instanceof AppError && error.status === 409)
    if (isTestResult) return { ok: false, summary: error.message, models: [] }
    throw error
  }
}
