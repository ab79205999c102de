/**
 * The library's records of second factors, with the secret and the recovery codes sealed: the database also has the secret that the
 * library encrypts with, so a copy of it would reveal them.
 */
import { AppError } from '../../base/errors.ts'
import { NIL_ID } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { type Columns, type Condition, updateRecord } from '../sign-in/auth-record-queries.ts'

export const SECOND_FACTORS = 'two_factors'

export type SealedColumn = 'secret' | 'backup_codes'

type SealedLocation = { workspaceId: string; table: string; column: string; rowId: string }

/** The part of a sealer of `src/secrets` that is needed here. */
export type SecondFactorSealer = {
  seal(secret: string, location: SealedLocation): string
  open(sealed: string, location: SealedLocation): string | undefined
}

export function sealedLocation(userId: string, column: SealedColumn): SealedLocation {
  return { workspaceId: NIL_ID, table: SECOND_FACTORS, column, rowId: userId }
}

export function sealColumns(sealer: SecondFactorSealer, userId: string, columns: Columns): Columns {
  return mapSealed(columns, (text, column) => sealer.seal(text, sealedLocation(userId, column)))
}

/** Throws if the server has not the key that they were sealed with. */
export function openColumns<Row>(sealer: SecondFactorSealer, row: Row): Row {
  const columns: Columns = Object.fromEntries(Object.entries(row ?? {}))
  const opened = mapSealed(columns, (sealed, column) => {
    const text = sealer.open(sealed, sealedLocation(String(columns['user_id']), column))
    if (text === undefined) throw new AppError(409, UNREADABLE)
    return text
  })
  return { ...row, ...opened }
}

const UNREADABLE =
  'The second factor of this account cannot be decrypted. The operator can provide the previous secret key, or reset the second factor'

/** The update of the library, whose condition may contain a value that is sealed in the database. */
export async function updateSealed<Row>(
  tx: Queries,
  sealer: SecondFactorSealer,
  { where, set, increment }: { where: Condition[]; set: Columns; increment?: Record<string, number> },
): Promise<Row | null> {
  const plain = where.filter(({ field }) => !isSealed(field))
  // Adds nothing, but locks the row: a recovery code must not be used twice.
  const locked = await updateRecord<Columns>(tx, {
    model: SECOND_FACTORS,
    where: plain,
    set: {},
    increment: { failed_verification_count: 0 },
  })
  if (!locked) return null
  const opened = openColumns(sealer, locked)
  if (where.some(({ field, value }) => isSealed(field) && opened[field] !== value)) return null
  const sealed = sealColumns(sealer, String(locked['user_id']), set)
  const updated = await updateRecord<Row>(tx, {
    model: SECOND_FACTORS,
    where: plain,
    set: sealed,
    increment: increment ?? {},
  })
  return updated && openColumns(sealer, updated)
}

function isSealed(column: string): column is SealedColumn {
  return column === 'secret' || column === 'backup_codes'
}

function mapSealed(columns: Columns, change: (text: string, column: SealedColumn) => string): Columns {
  const entries = Object.entries(columns).map(([name, value]) =>
    isSealed(name) && typeof value === 'string' ? [name, change(value, name)] : [name, value],
  )
  return Object.fromEntries(entries)
}
