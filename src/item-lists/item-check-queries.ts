/** The items of a dataset that a check finds, by id, oldest first. */
import { type RawBuilder, sql } from 'kysely'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import type { Queries } from '../storage/db.ts'
import { inIdList } from '../storage/dialect.ts'
import { selectScoped } from '../storage/query-building.ts'

type NamedDataset = Pick<DatasetScope, 'workspaceId' | 'datasetId'>

/** Items whose input another item has, too. */
export async function listDuplicateIds(q: Queries, dataset: NamedDataset): Promise<string[]> {
  return idsBySameInput(q, dataset, sql`i.same_inputs > 1`)
}

/** Items with one input and different expected outputs. */
export async function listConflictIds(q: Queries, dataset: NamedDataset): Promise<string[]> {
  return idsBySameInput(q, dataset, sql`i.expected is not null and i.first_expected <> i.last_expected`)
}

export async function listWithoutExpectedIds(q: Queries, dataset: NamedDataset): Promise<string[]> {
  return idsOf(q, dataset, sql`(i.expected is null or trim(i.expected) = '')`)
}

/** Items that no run has a trace of. */
export async function listNeverRunIds(q: Queries, dataset: NamedDataset): Promise<string[]> {
  const links = linksOf(dataset, sql`true`)
  return idsOf(
    q,
    dataset,
    sql`i.id not in (select l.item_id ${links} and l.item_id is not null)
      and (i.trace_ref is null or i.trace_ref not in (select l.trace_ref ${links}))`,
  )
}

/** Items of the test split that one of these evaluations has scored, or one of these runs has a trace of. */
export async function listReadTestIds(
  q: Queries,
  dataset: NamedDataset,
  { evaluationIds, runIds }: { evaluationIds: readonly string[]; runIds: readonly string[] },
): Promise<string[]> {
  const links = linksOf(dataset, inIdList(q, 'l.run_id', runIds))
  const scored = sql`select s.item_id from evaluation_scores as s where s.workspace_id = ${dataset.workspaceId}
    and ${inIdList(q, 's.evaluation_id', evaluationIds)} and s.item_id is not null`
  return idsOf(
    q,
    dataset,
    sql`i.split = 'test' and (i.id in (${scored}) or i.id in (select l.item_id ${links} and l.item_id is not null)
      or i.trace_ref in (select l.trace_ref ${links}))`,
  )
}

/** The newest records of what has read the test split. */
export async function listOpeningSubjects(q: Queries, { workspaceId, datasetId }: NamedDataset, limit: number) {
  const rows = await selectScoped(q, 'test_openings', { workspace_id: workspaceId, dataset_id: datasetId })
    .select('subject')
    .orderBy('opened_at', 'desc')
    .orderBy('subject', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ subject }) => subject)
}

/** The inputs of a dataset in order of the items, after `afterId`. A long input is cut: only its beginning is compared. */
export async function listInputTexts(
  q: Queries,
  { workspaceId, datasetId }: NamedDataset,
  { afterId, limit, lengthMax, cutTo }: { afterId: string; limit: number; lengthMax: number; cutTo: number },
) {
  const text = sql<string>`case when length(input) <= ${sql.lit(lengthMax)} then input
    else substr(input, 1, ${sql.lit(cutTo)}) end`
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'input_hash as inputHash', text.as('text')])
    .where('input', 'is not', null)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The hashes of all inputs in order of the items: they change with what is compared. */
export async function listInputHashes(q: Queries, { workspaceId, datasetId }: NamedDataset, limit: number) {
  return selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(['id', 'input_hash as inputHash'])
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The traces of the active runs of the dataset, as `l`. */
function linksOf({ workspaceId, datasetId }: NamedDataset, condition: RawBuilder<unknown>) {
  // A cross join: the embedded engine keeps the order of its tables, and would otherwise read all links of the application.
  return sql`from runs as r cross join run_traces as l
    where l.workspace_id = r.workspace_id and l.run_id = r.id and r.workspace_id = ${workspaceId}
      and r.dataset_id = ${datasetId} and r.deleted_at is null and ${condition}`
}

/** Each item with what the items of the same input have: one pass, where a join needs statistics to be as fast. */
async function idsBySameInput(
  q: Queries,
  { workspaceId, datasetId }: NamedDataset,
  condition: RawBuilder<unknown>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select i.id from (
      select id, expected, count(*) over same_input as same_inputs,
        min(trim(expected)) over same_input as first_expected, max(trim(expected)) over same_input as last_expected
      from dataset_items where workspace_id = ${workspaceId} and dataset_id = ${datasetId} and input_hash is not null
      window same_input as (partition by input_hash)
    ) as i where ${condition} order by i.id`.execute(q)
  return rows.map(({ id }) => id)
}

async function idsOf(q: Queries, { workspaceId, datasetId }: NamedDataset, condition: RawBuilder<unknown>) {
  const rows = await q
    .selectFrom('dataset_items as i')
    .select('i.id')
    .where('i.workspace_id', '=', workspaceId)
    .where('i.dataset_id', '=', datasetId)
    .where(sql<boolean>`${condition}`)
    .orderBy('i.id')
    .execute()
  return rows.map(({ id }) => id)
}
