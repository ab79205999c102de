import { conflict } from '../../base/errors.ts'
import type { Context } from '../../http/route.ts'
import { dbWithin } from '../../storage/db.ts'
import { chunkRows } from '../../traces/chunk-rows.ts'
import { placeItems } from '../items/add-items.ts'
import type { ChangingScope, DatasetScope } from '../items/item-queries.ts'
import { findCases, listCaseSizes } from './case-queries.ts'
import { numberItems } from './change-case.ts'

/** Copies all cases with their splits into another dataset, where they get numbers of their own. */
export async function copyCases(
  { db, newId }: Pick<Context, 'db' | 'newId'>,
  from: DatasetScope,
  { to, most }: { to: ChangingScope; most: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await numberItems({ db: dbWithin(tx) }, from)
    const sizes = await listCaseSizes(tx, from, { limit: most + 1, offset: 0 })
    if (sizes.length > most) throw conflict(`The dataset has more than ${most} cases, which are too many to copy`)
    for (const chunk of chunkRows(sizes)) {
      const rows = await findCases(
        tx,
        from,
        chunk.map(({ number }) => number),
      )
      const contents = rows.map(({ input, expected, metadata, split, index, form }) => ({
        traceRef: null,
        ...{ input, output: null, expected, metadata, split, caseIndex: index, caseForm: form },
      }))
      await placeItems(tx, newId, to, contents)
    }
  })
}
