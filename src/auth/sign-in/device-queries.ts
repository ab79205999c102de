/** Device codes (RFC 8628). Reads across workspaces: a code belongs to none until a user approves it for one. */
import type { Queries } from '../../storage/db.ts'

type DeviceStatus = 'pending' | 'approved' | 'denied'

export type NewDeviceCode = {
  id: string
  deviceCodeHash: string
  userCode: string
  clientId: string
  deviceName: string | null
  address: string
  expiresAt: string
  pollingIntervalMs: number
}

/** False if the user code is taken. */
export async function insertDeviceCode(tx: Queries, code: NewDeviceCode): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('device_codes')
    .values({
      id: code.id,
      device_code_hash: code.deviceCodeHash,
      user_code: code.userCode,
      client_id: code.clientId,
      device_name: code.deviceName,
      address: code.address,
      status: 'pending' satisfies DeviceStatus,
      expires_at: code.expiresAt,
      polling_interval_ms: code.pollingIntervalMs,
      user_id: null,
      scope: null,
      last_polled_at: null,
      workspace_id: null,
      role: null,
    })
    .onConflict((taken) => taken.column('user_code').doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function findDeviceByUserCode(q: Queries, userCode: string) {
  return q
    .selectFrom('device_codes')
    .select(['id', 'status', 'address', 'user_id as userId'])
    .select(['device_name as deviceName', 'expires_at as expiresAt'])
    .where('user_code', '=', userCode)
    .executeTakeFirst()
}

/** Reserves a new code for the user who opens it first, so that no other user can decide about it. */
export async function claimDevice(tx: Queries, id: string, userId: string): Promise<void> {
  await tx
    .updateTable('device_codes')
    .set({ user_id: userId })
    .where('id', '=', id)
    .where('user_id', 'is', null)
    .execute()
}

type Decision = { status: 'denied' } | { status: 'approved'; workspaceId: string; role: string }

/** False if it was decided before. */
export async function decideDevice(
  tx: Queries,
  { id, userId }: { id: string; userId: string },
  decision: Decision,
): Promise<boolean> {
  const key = decision.status === 'approved' ? { workspace_id: decision.workspaceId, role: decision.role } : {}
  const { numUpdatedRows } = await tx
    .updateTable('device_codes')
    .set({ status: decision.status, ...key })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('status', '=', 'pending' satisfies DeviceStatus)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Locks the row until the transaction ends, so that of concurrent polls only one redeems the code. */
export async function lockDeviceCode(tx: Queries, { hash, clientId }: { hash: string; clientId: string }) {
  return tx
    .updateTable('device_codes')
    .set({ device_code_hash: hash })
    .where('device_code_hash', '=', hash)
    .where('client_id', '=', clientId)
    .returning(['id', 'status', 'user_id as userId', 'workspace_id as workspaceId', 'role'])
    .returning(['device_name as deviceName', 'expires_at as expiresAt'])
    .returning(['last_polled_at as lastPolledAt', 'polling_interval_ms as pollingIntervalMs'])
    .executeTakeFirst()
}

export type DeviceCode = NonNullable<Awaited<ReturnType<typeof lockDeviceCode>>>

export async function updatePolledAt(tx: Queries, id: string, at: string): Promise<void> {
  await tx.updateTable('device_codes').set({ last_polled_at: at }).where('id', '=', id).execute()
}

export async function deleteDeviceCode(tx: Queries, hash: string): Promise<void> {
  await tx.deleteFrom('device_codes').where('device_code_hash', '=', hash).execute()
}
