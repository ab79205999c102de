import { type Clock, timestamp } from '../../base/clock.ts'
import { badRequest, notFound } from '../../base/errors.ts'
import { lockComponent } from '../../components/component-queries.ts'
import type { Context } from '../../http/route.ts'
import { contentText } from '../../traces/trace-content.ts'
import { changeItemCount, type ItemChange, lockDatasetExclusive } from '../dataset-queries.ts'
import { hashInputs } from './input-hash.ts'
import { rejectOverlong } from './item-content.ts'
import { type CaseChange, type ChangingScope, deleteItem, findItem, type Item, updateItem } from './item-queries.ts'
import type { NewItemFields } from './item-schemas.ts'

type NamedItem = ChangingScope & { itemId: string }

/** Updates the given fields and keeps the others; null removes a content. */
export async function changeItem(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  named: NamedItem,
  fields: Omit<NewItemFields, 'traceId'>,
  ofCase: CaseChange = {},
): Promise<Item> {
  const change = { ...(await changeOf(fields)), ...ofCase }
  rejectOverlong(change)
  const by = changeBy(clock, named)
  return db.transaction(async (tx) => {
    const isThere =
      (await lockComponent(tx, named.workspaceId, named.componentId)) && (await lockDatasetExclusive(tx, named))
    if (!isThere || !(await updateItem(tx, named, { ...change, by }))) throw notFound('Item')
    await changeItemCount(tx, { ...named, by: 0, change: by })
    const item = await findItem(tx, named)
    if (!item) throw notFound('Item')
    if (item.input === null && item.traceId === null) {
      throw badRequest('The field input must not be null, because the item has no trace')
    }
    return item
  })
}

export async function removeItem({ db, clock }: Pick<Context, 'db' | 'clock'>, named: NamedItem): Promise<void> {
  const { workspaceId, componentId, datasetId } = named
  await db.transaction(async (tx) => {
    const isThere = (await lockComponent(tx, workspaceId, componentId)) && (await lockDatasetExclusive(tx, named))
    if (!isThere || !(await deleteItem(tx, named))) throw notFound('Item')
    await changeItemCount(tx, { workspaceId, datasetId, by: -1, change: changeBy(clock, named) })
  })
}

function changeBy(clock: Clock, { userId }: ChangingScope): ItemChange {
  return { at: timestamp(clock.now()), userId: userId ?? null }
}

async function changeOf({ input, output, expected, metadata, split }: Omit<NewItemFields, 'traceId'>) {
  const text = contentText(input)
  const [inputHash = null] = await hashInputs([text])
  return {
    ...(input === undefined ? {} : { input: text, inputHash }),
    ...(output === undefined ? {} : { output: contentText(output) }),
    ...(expected === undefined ? {} : { expected: contentText(expected) }),
    ...(metadata === undefined ? {} : { metadata: contentText(metadata) }),
    ...(split === undefined ? {} : { split }),
  }
}
