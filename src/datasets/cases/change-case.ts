/** Reads and changes cases: items under their numbers. */
import { badRequest, notFound } from '../../base/errors.ts'
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Page } from '../../base/page.ts'
import type { Context } from '../../http/route.ts'
import { dbWithin, type Queries } from '../../storage/db.ts'
import { chunkRows } from '../../traces/chunk-rows.ts'
import { contentText } from '../../traces/trace-content.ts'
import { changeItemCount, findDataset } from '../dataset-queries.ts'
import { lockDatasetForItems, placeItems } from '../items/add-items.ts'
import { changeItem, removeItem } from '../items/change-item.ts'
import { type ItemContent, rejectOverlong } from '../items/item-content.ts'
import type { ChangingScope, DatasetScope } from '../items/item-queries.ts'
import { caseSplitOf, expectedPayloadOf, inputPayloadOf, inputTextOf, readExpected, splitOf } from './case-content.ts'
import { type CaseRow, findCases, findCasesOfItems, listCaseSizes, listUnnumbered, numberItem } from './case-queries.ts'
import type { CaseFields, DatasetCase } from './case-schemas.ts'

type Deps = Pick<Context, 'db' | 'clock' | 'newId'>

/** Gives items that an older server has added their numbers. */
export async function numberItems({ db }: Pick<Context, 'db'>, scope: DatasetScope): Promise<void> {
  if ((await listUnnumbered(db.read, scope)).length === 0) return
  await db.transaction(async (tx) => {
    const { lastCaseNumber } = await lockDatasetForItems(tx, scope)
    const ids = await listUnnumbered(tx, scope)
    for (const [place, id] of ids.entries()) await numberItem(tx, { ...scope, id }, lastCaseNumber + 1 + place)
    await changeItemCount(tx, { ...scope, by: 0, lastCaseNumber: lastCaseNumber + ids.length })
  })
}

/** Oldest first. Only sizes are read before the response starts, because cases may have megabytes each. */
export async function listCases(
  { db }: Pick<Context, 'db'>,
  scope: DatasetScope,
  page: Page,
): Promise<AsyncGenerator<DatasetCase[]>> {
  const [dataset] = await findDataset(db.read, scope)
  if (!dataset) throw notFound('Dataset')
  await numberItems({ db }, scope)
  const sizes = await listCaseSizes(db.read, scope, page)
  return readCases(db.read, scope, sizes)
}

async function* readCases(
  q: Queries,
  scope: DatasetScope,
  sizes: readonly { number: number; bytes: number }[],
): AsyncGenerator<DatasetCase[]> {
  for (const chunk of chunkRows(sizes)) {
    const rows = await findCases(
      q,
      scope,
      chunk.map(({ number }) => number),
    )
    yield rows.map((row) => toCase(scope, row))
    await yieldToEventLoop()
  }
}

type NamedCase<Scope = ChangingScope> = Scope & { number: number }

/** Throws 404 unless it exists in an active dataset. */
async function requireCase(q: Queries, { number, ...scope }: NamedCase<DatasetScope>): Promise<CaseRow> {
  const [dataset] = await findDataset(q, scope)
  const [row] = dataset ? await findCases(q, scope, [number]) : []
  if (!row) throw notFound('Case')
  return row
}

export async function getCase(q: Queries, named: NamedCase<DatasetScope>): Promise<DatasetCase> {
  return toCase(named, await requireCase(q, named))
}

export async function addCases({ db, newId }: Deps, scope: ChangingScope, given: CaseFields[]): Promise<DatasetCase[]> {
  const contents = given.map((fields, place) => contentOf(fields, `[${place}].`))
  return db.transaction(async (tx) => {
    const { addedIds } = await placeItems(tx, newId, scope, contents)
    return (await findCasesOfItems(tx, scope, addedIds)).map((row) => toCase(scope, row))
  })
}

function contentOf(
  { idx = null, inputPayload = {}, expectedPayload, split, metadata }: CaseFields,
  prefix: string,
): ItemContent {
  const { expected, caseForm } = readExpected(expectedPayload)
  const texts = { input: inputTextOf(inputPayload), output: null, expected, metadata: contentText(metadata) }
  rejectOverlong(texts, prefix)
  return { traceRef: null, ...texts, split: splitOf(split), caseIndex: idx, caseForm }
}

/** Updates the given fields and keeps the others; null removes a value. */
export async function changeCase(
  { db, clock }: Deps,
  named: NamedCase,
  { idx, inputPayload, expectedPayload, split, metadata }: CaseFields,
): Promise<DatasetCase> {
  const { number, ...scope } = named
  if (inputPayload === null) throw badRequest('The field inputPayload must be an object')
  const hasExpected = expectedPayload !== undefined
  const { expected, caseForm } = readExpected(expectedPayload)
  // To write, store, read and send megabytes of JSON is a turn of its own each.
  await yieldToEventLoop()
  const changed = await db.transaction(async (tx) => {
    const before = await requireCase(tx, named)
    await changeItem(
      { db: dbWithin(tx), clock },
      { ...scope, itemId: before.id },
      {
        ...(inputPayload && { input: inputTextOf(inputPayload) }),
        ...(hasExpected && { expected }),
        ...(split !== undefined && { split: splitOf(split, before.split) }),
        ...(metadata !== undefined && { metadata: metadata ?? {} }),
      },
      { ...(idx !== undefined && { case_index: idx }), ...(hasExpected && { case_form: caseForm }) },
    )
    return requireCase(tx, named)
  })
  await yieldToEventLoop()
  const shown = toCase(scope, changed)
  await yieldToEventLoop()
  return shown
}

export async function removeCase({ db, clock }: Deps, { number, ...scope }: NamedCase): Promise<void> {
  await db.transaction(async (tx) => {
    const { id: itemId } = await requireCase(tx, { number, ...scope })
    await removeItem({ db: dbWithin(tx), clock }, { ...scope, itemId })
  })
}

function toCase({ datasetId }: Pick<DatasetScope, 'datasetId'>, row: CaseRow): DatasetCase {
  return {
    id: Number(row.number),
    datasetId,
    idx: row.index,
    inputPayload: inputPayloadOf(row.input),
    expectedPayload: expectedPayloadOf(row.expected, row.form),
    split: caseSplitOf(row.split),
    metadata: row.metadata === null ? {} : JSON.parse(row.metadata),
    createdAt: row.createdAt,
    updatedAt: row.changedAt ?? row.createdAt,
  }
}
