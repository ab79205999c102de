import { byId, readPages } from '../base/event-loop.ts'
import type { RotatingSealer, SecretLocation } from '../secrets/sealed-secret.ts'
import type { Db, Queries } from '../storage/db.ts'

type SealedRow = { workspaceId: string; id: string; name: string; sealed: string }

type SealedColumn = {
  /** The rows with a secret, of all workspaces, ordered by id. */
  list(q: Queries, page: { after: string; limit: number }): Promise<SealedRow[]>
  /** False if the secret was changed in the meantime. */
  replace(tx: Queries, row: SealedRow, by: string): Promise<boolean>
  location(row: SealedRow): SecretLocation
}

export type ResealedRows = {
  sealed: number
  /** No available secret key can decrypt them. They are not changed, in case the right secret key is found. */
  unreadable: { workspaceId: string; name: string }[]
}

const ROWS_PER_CHUNK = 100

/** Encrypts the secrets of a column with the current secret key. Skips those that are, and those that no available key can decrypt. */
export async function resealRows(db: Db, secrets: RotatingSealer, column: SealedColumn): Promise<ResealedRows> {
  const unreadable: ResealedRows['unreadable'] = []
  let sealed = 0
  for await (const rows of readPages((page) => column.list(db.read, page), byId(ROWS_PER_CHUNK))) {
    const replaced: { row: SealedRow; by: string }[] = []
    for (const row of rows) {
      if (secrets.isCurrent(row.sealed)) continue
      const location = column.location(row)
      const secret = secrets.open(row.sealed, location)
      if (secret === undefined) unreadable.push({ workspaceId: row.workspaceId, name: row.name })
      else replaced.push({ row, by: secrets.seal(secret, location) })
    }
    sealed += await db.transaction(async (tx) => {
      let changed = 0
      for (const { row, by } of replaced) if (await column.replace(tx, row, by)) changed += 1
      return changed
    })
  }
  return { sealed, unreadable }
}
