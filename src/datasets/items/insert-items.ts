import { yieldToEventLoop } from '../../base/event-loop.ts'
import { createdAtOf } from '../../base/ids.ts'
import type { Queries } from '../../storage/db.ts'
import { insertNewRows } from '../../storage/insert-rows.ts'
import { findTraceContents, type TraceContent } from '../../traces/trace-contents.ts'
import { findArrivedRefs } from '../../traces/trace-ref-queries.ts'
import { hashInputs } from './input-hash.ts'
import { FOLLOWS_INPUT, FOLLOWS_OUTPUT, followsOf, type ItemContent } from './item-content.ts'

const ITEMS_PER_STATEMENT = 500
const LENGTH_PER_STATEMENT = 1 << 17
/** The input and output of a trace may be a mebibyte each. Small chunks bound the memory, regardless of the number of items. */
const TRACES_PER_STATEMENT = 25

const COLUMNS = [
  'workspace_id',
  'dataset_id',
  'id',
  'trace_ref',
  'input',
  'input_hash',
  'output',
  'expected',
  'metadata',
  'provisional',
  'from_spans',
  'split',
  'import_id',
  'created_at',
  'created_by',
  'case_number',
  'case_index',
  'case_form',
] as const

/** An item to insert, with its id. The trace reference is in the stored form. */
export type NewItem = ItemContent & {
  id: string
  fromSpans?: boolean
  importId?: string | null
  createdBy?: string | null
}

/** An item with the fields in which it follows its trace. */
type ItemToInsert = NumberedItem & { provisional: number }

type NumberedItem = NewItem & { caseNumber: number }

/** `firstNumber` and those after it are no item's: the caller has locked the dataset, and stores the last one. */
type Place = { workspaceId: string; datasetId: string; firstNumber: number }

/**
 * Inserts items, except those whose trace is already in the dataset, and returns the ids of the new ones. An item of a trace that has arrived
 * gets the content of the trace for fields that are not given. Yields between chunks, so that other requests are not blocked.
 */
export async function insertItems(tx: Queries, place: Place, items: readonly NewItem[]): Promise<string[]> {
  const added: string[] = []
  const numbered = items.map((item, index) => ({ ...item, caseNumber: place.firstNumber + index }))
  for (const chunk of batchesOf(numbered, { count: ITEMS_PER_STATEMENT, length: LENGTH_PER_STATEMENT })) {
    const refs = chunk.flatMap(({ traceRef }) => traceRef ?? [])
    const arrived = await findArrivedRefs(tx, place.workspaceId, refs)
    const hasArrived = ({ traceRef }: NewItem) => traceRef !== null && arrived.has(traceRef)
    const others = chunk.filter((item) => !hasArrived(item)).map((item) => withContent(item, undefined))
    added.push(...(await insertRows(tx, place, others)))
    for (const few of batchesOf(chunk.filter(hasArrived), { count: TRACES_PER_STATEMENT })) {
      added.push(...(await insertRows(tx, place, await withSnapshots(tx, place.workspaceId, few))))
    }
    if (chunk.length < items.length) await yieldToEventLoop()
  }
  return added
}

async function withSnapshots(tx: Queries, workspaceId: string, items: NumberedItem[]): Promise<ItemToInsert[]> {
  const contents = await findTraceContents(
    tx,
    workspaceId,
    items.flatMap(({ traceRef }) => traceRef ?? []),
  )
  return items.map((item) => withContent(item, contents.get(item.traceRef ?? '')))
}

function withContent(item: NumberedItem, content: TraceContent | undefined): ItemToInsert {
  const { traceRef, input, output } = item
  if (traceRef === null) return { ...item, provisional: 0 }
  const silent = (input === null ? FOLLOWS_INPUT : 0) | (output === null ? FOLLOWS_OUTPUT : 0)
  return {
    ...item,
    input: input ?? content?.input ?? null,
    output: output ?? content?.output ?? null,
    provisional: silent & followsOf(content),
  }
}

async function insertRows(tx: Queries, { workspaceId, datasetId }: Place, items: ItemToInsert[]): Promise<string[]> {
  const hashes = await hashInputs(items.map(({ input }) => input))
  const rows = items.map(({ id, traceRef, input, output, expected, metadata, provisional, split, ...item }, index) => [
    workspaceId,
    datasetId,
    id,
    traceRef,
    input,
    hashes[index] ?? null,
    output,
    expected,
    metadata,
    provisional,
    item.fromSpans ? 1 : 0,
    split,
    item.importId ?? null,
    // The time of the id, so that the order of ids is the order of creation, including items that were added together.
    createdAtOf(id),
    item.createdBy ?? null,
    item.caseNumber,
    item.caseIndex ?? null,
    item.caseForm ?? null,
  ])
  const isNew = await insertNewRows(tx, { table: 'dataset_items', columns: COLUMNS, rows }, ['id'])
  return items.filter((_, index) => isNew[index]).map(({ id }) => id)
}

/** Splits a list into batches that are bounded in number and in text length. */
function* batchesOf<Item extends NewItem>(
  items: readonly Item[],
  { count, length = Number.POSITIVE_INFINITY }: { count: number; length?: number },
): Generator<Item[]> {
  let batch: Item[] = []
  let held = 0
  for (const item of items) {
    batch.push(item)
    held += lengthOf(item)
    if (batch.length < count && held < length) continue
    yield batch
    batch = []
    held = 0
  }
  if (batch.length > 0) yield batch
}

function lengthOf({ input, output, expected, metadata }: NewItem): number {
  return [input, output, expected, metadata].reduce((sum, text) => sum + (text?.length ?? 0), 0)
}
