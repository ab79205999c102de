import { type ResealedRows, resealRows } from '../connections/reseal-rows.ts'
import type { RotatingSealer } from '../secrets/sealed-secret.ts'
import type { Db } from '../storage/db.ts'
import { headersLocation } from './endpoint-headers.ts'
import { listSealedHeadersOfAnyWorkspace, replaceSealedHeaders } from './endpoint-queries.ts'

/** Encrypts the headers of all endpoints with the current secret key. */
export function resealHeaders(db: Db, secrets: RotatingSealer): Promise<ResealedRows> {
  return resealRows(db, secrets, {
    list: listSealedHeadersOfAnyWorkspace,
    replace: replaceSealedHeaders,
    location: headersLocation,
  })
}
