import { chunksOf } from '../../base/event-loop.ts'
import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { bytesOf } from '../../traces/trace-queries.ts'
import type { DatasetScope } from '../items/item-queries.ts'
import type { Split } from '../splits/split.ts'

const NUMBERS_PER_STATEMENT = 500

const COLUMNS = [
  'id',
  'case_number as number',
  'case_index as index',
  'case_form as form',
  'input',
  'expected',
  'metadata',
  'split',
  'created_at as createdAt',
  'changed_at as changedAt',
] as const

export type CaseRow = {
  id: string
  number: number | null
  index: number | null
  form: number | null
  input: string | null
  expected: string | null
  metadata: string | null
  split: Split | null
  createdAt: string
  changedAt: string | null
}

type InDataset = Pick<DatasetScope, 'workspaceId' | 'datasetId'>

function itemsOf(q: Queries, { workspaceId, datasetId }: InDataset) {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
}

/** By number. The caller has looked for the dataset, and has numbered its items. */
export async function listCaseSizes(q: Queries, scope: InDataset, { limit, offset }: Page) {
  const rows = await itemsOf(q, scope)
    .select(['case_number as number', bytesOf('input', 'expected', 'metadata').as('bytes')])
    .where('case_number', 'is not', null)
    .orderBy('case_number')
    .limit(limit)
    .offset(offset)
    .execute()
  return rows.map(({ number, bytes }) => ({ number: Number(number), bytes }))
}

/** By number. */
export async function findCases(q: Queries, scope: InDataset, numbers: readonly number[]): Promise<CaseRow[]> {
  const found: CaseRow[] = []
  for (const chunk of chunksOf(numbers, NUMBERS_PER_STATEMENT))
    found.push(...(await itemsOf(q, scope).select(COLUMNS).where('case_number', 'in', chunk).execute()))
  return found.sort((a, b) => Number(a.number) - Number(b.number))
}

/** By number. */
export async function findCasesOfItems(q: Queries, scope: InDataset, ids: readonly string[]): Promise<CaseRow[]> {
  const found: CaseRow[] = []
  for (const chunk of chunksOf(ids, NUMBERS_PER_STATEMENT))
    found.push(...(await itemsOf(q, scope).select(COLUMNS).where('id', 'in', chunk).execute()))
  return found.sort((a, b) => Number(a.number) - Number(b.number))
}

/** The items that an older server has added. */
export async function listUnnumbered(q: Queries, scope: InDataset): Promise<string[]> {
  const rows = await itemsOf(q, scope).select('id').where('case_number', 'is', null).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

export async function numberItem(
  tx: Queries,
  { workspaceId, datasetId, id }: InDataset & { id: string },
  number: number,
): Promise<void> {
  await updateScoped(tx, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId, id })
    .set({ case_number: number })
    .execute()
}
