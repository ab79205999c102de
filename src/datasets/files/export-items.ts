import { stringify } from 'csv-stringify/sync'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import { NIL_ID } from '../../base/ids.ts'
import { invariant } from '../../base/invariant.ts'
import type { Queries } from '../../storage/db.ts'
import { findDataset } from '../dataset-queries.ts'
import type { FileFormat } from '../imports/file-table.ts'
import { type DatasetScope, type Item, listItemsAfter } from '../items/item-queries.ts'
import { guardCell } from './formula-guard.ts'
import { ITEM_COLUMNS, type ItemColumn } from './item-row.ts'

/** Starts small, because an item may have mebibytes, and grows while the items are short. */
const ITEMS_PER_PAGE = { min: 10, first: 50, max: 1_000 } as const
const LENGTH_PER_PAGE = 1 << 19

/** The items of a dataset, oldest first, as the text of a file that can be imported. At most one page is in memory. */
export async function* exportedItems(q: Queries, scope: DatasetScope, format: FileFormat): AsyncGenerator<string> {
  if (format === 'csv') yield csvText([[...ITEM_COLUMNS]])
  let separator = '['
  let after = NIL_ID
  let limit: number = ITEMS_PER_PAGE.first
  for (;;) {
    const items = await listItemsAfter(q, { ...scope, after, limit })
    const last = items.at(-1)
    if (!last) break
    const text =
      format === 'csv'
        ? csvText(items.map(cellsOf))
        : format === 'json'
          ? `${separator}\n${items.map(jsonOf).join(',\n')}`
          : items.map((item) => `${jsonOf(item)}\n`).join('')
    yield text
    separator = ','
    after = last.id
    limit = nextLimit(limit, text.length)
    // The embedded database responds synchronously: without a pause, other requests would wait until the export is complete.
    await yieldToEventLoop()
  }
  // If the dataset is deleted during the export, the connection is closed, because a partial file must not look complete.
  const [dataset] = await findDataset(q, scope)
  invariant(dataset, 'the dataset must be there until its last item is sent')
  if (format === 'json') yield separator === '[' ? '[]\n' : '\n]\n'
}

function nextLimit(limit: number, pageLength: number): number {
  const wanted = pageLength < LENGTH_PER_PAGE / 2 ? limit * 2 : pageLength > LENGTH_PER_PAGE ? limit / 2 : limit
  return Math.min(Math.max(Math.floor(wanted), ITEMS_PER_PAGE.min), ITEMS_PER_PAGE.max)
}

/** A file name that is valid on every system, for any name of a dataset. */
export function fileNameOf(name: string, format: FileFormat): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return `${plain || 'dataset'}.${format}`
}

function jsonOf({ id, input, output, expected, metadata, traceId, split }: Item): string {
  return JSON.stringify({ id, input, output, expected, metadata, traceId, split })
}

function cellsOf(item: Item): (string | null)[] {
  return ITEM_COLUMNS.map((column) => {
    const text = cellOf(item, column)
    return text === null ? null : guardCell(text)
  })
}

function cellOf(item: Item, column: ItemColumn): string | null {
  if (column !== 'metadata') return item[column]
  return Object.keys(item.metadata).length === 0 ? null : JSON.stringify(item.metadata)
}

/** Quotes every text, including empty ones, and leaves null empty, so that a reader can distinguish the two. */
export function csvText(rows: (string | null)[][]): string {
  return stringify(rows, { quoted_string: true, record_delimiter: '\r\n' })
}
