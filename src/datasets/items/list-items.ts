import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Extent, Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { chunkRows } from '../../traces/chunk-rows.ts'
import type { Split } from '../splits/split.ts'
import { type DatasetScope, findItemsById, listItemSizes } from './item-queries.ts'

/**
 * A page of items, newest first, as the JSON of a list. A hundred items may be hundreds of megabytes, so only their sizes are read before
 * the response starts; the items follow in chunks. Items that are deleted in the meantime are excluded.
 */
export async function listItems(
  q: Queries,
  scope: DatasetScope,
  page: Page & { split?: Split | undefined },
): Promise<{ pieces: AsyncGenerator<string>; extent: Extent }> {
  const { rows, ...extent } = await listItemSizes(q, { ...scope, ...page })
  return { pieces: writeItems(q, scope, rows), extent }
}

async function* writeItems(
  q: Queries,
  scope: DatasetScope,
  sizes: readonly { id: string; bytes: number }[],
): AsyncGenerator<string> {
  let json = '{"data":['
  let separator = ''
  for (const chunk of chunkRows(sizes)) {
    const ids = chunk.map(({ id }) => id)
    const items = new Map((await findItemsById(q, scope, ids)).map((item) => [item.id, item]))
    for (const id of ids) {
      const item = items.get(id)
      if (!item) continue
      json += separator + JSON.stringify(item)
      separator = ','
    }
    yield json
    json = ''
    await yieldToEventLoop()
  }
  yield `${json}]}`
}
