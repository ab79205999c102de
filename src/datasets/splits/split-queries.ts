import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { inIdList, lockForShare } from '../../storage/dialect.ts'
import { listPage } from '../../storage/list-page.ts'
import { selectScoped, updateScoped } from '../../storage/query-building.ts'
import { activeDatasets } from '../dataset-queries.ts'
import type { Split } from './split.ts'

type NamedDataset = { workspaceId: string; datasetId: string }

type ItemPage = NamedDataset & { split?: Split | undefined; after: string; limit: number }

/** The items of a split, or of all, after `after`, by id. Read from an index: the size of the items does not matter. */
export async function listItemIds(
  q: Queries,
  { workspaceId, datasetId, split, after, limit }: ItemPage,
): Promise<string[]> {
  const items = selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId })
  const rows = await (split === undefined ? items : items.where('split', '=', split))
    .select('id')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Which of these items belong to a split. */
export async function findItemsInSplit(
  q: Queries,
  { workspaceId, datasetId, split }: NamedDataset & { split: Split },
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = await selectScoped(q, 'dataset_items', { workspace_id: workspaceId, dataset_id: datasetId, split })
    .select('id')
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * Records that the test split was read. Does nothing if this evaluation or comparison has read it before, or if the dataset
 * was deleted in the meantime: a row that is added during the purge would keep the dataset. After the split was drawn again, what reads it
 * for the first time is an opening of the new one.
 */
export async function insertTestOpening(
  tx: Queries,
  { workspaceId, datasetId, subject, now }: NamedDataset & { subject: string; now: string },
): Promise<void> {
  const active = activeDatasets(tx)
    .select('d.test_drawn_at as drawnAt')
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', '=', datasetId)
  const dataset = await lockForShare(tx, active).executeTakeFirst()
  if (!dataset) return
  await tx
    .insertInto('test_openings')
    .values({ workspace_id: workspaceId, dataset_id: datasetId, subject, opened_at: now })
    .onConflict((own) => {
      const known = own.columns(['workspace_id', 'dataset_id', 'subject'])
      return dataset.drawnAt === null
        ? known.doNothing()
        : known.doUpdateSet({ opened_at: now }).where('test_openings.opened_at', '<=', dataset.drawnAt)
    })
    .execute()
}

export async function hasTestOpening(
  q: Queries,
  { workspaceId, datasetId, subject }: NamedDataset & { subject: string },
): Promise<boolean> {
  const row = await openingsOfSplit(q, workspaceId)
    .select('o.subject')
    .where('o.dataset_id', '=', datasetId)
    .where('o.subject', '=', subject)
    .executeTakeFirst()
  return row !== undefined
}

/** Newest first; those of one moment by subject. */
export async function listTestOpenings(
  q: Queries,
  { workspaceId, componentId, datasetId, ...page }: NamedDataset & { componentId: string } & Page,
) {
  const openings = activeDatasets(q)
    .innerJoin('test_openings as o', (join) =>
      join.onRef('o.workspace_id', '=', 'd.workspace_id').onRef('o.dataset_id', '=', 'd.id'),
    )
    .select(['o.subject', 'o.opened_at as openedAt'])
    .where('d.workspace_id', '=', workspaceId)
    .where('d.component_id', '=', componentId)
    .where('d.id', '=', datasetId)
    .orderBy('o.opened_at', 'desc')
    .orderBy('o.subject', 'desc')
  return listPage(q, openings, page)
}

/** Of the test split as it was drawn last. */
export async function countTestOpenings(q: Queries, { workspaceId, datasetId }: NamedDataset): Promise<number> {
  return (await countOpeningsOf(q, workspaceId, [datasetId])).get(datasetId) ?? 0
}

/** By dataset; of those that were never opened, nothing. */
export async function countOpeningsOf(
  q: Queries,
  workspaceId: string,
  datasetIds: readonly string[],
): Promise<Map<string, number>> {
  if (datasetIds.length === 0) return new Map()
  const rows = await openingsOfSplit(q, workspaceId)
    .select(({ fn }) => ['o.dataset_id as datasetId', fn.countAll<number>().as('count')])
    .where(inIdList(q, 'o.dataset_id', datasetIds))
    .groupBy('o.dataset_id')
    .execute()
  return new Map(rows.map(({ datasetId, count }) => [datasetId, Number(count)]))
}

/** Without those of test splits before. */
function openingsOfSplit(q: Queries, workspaceId: string) {
  return q
    .selectFrom('test_openings as o')
    .innerJoin('datasets as d', (join) =>
      join.onRef('d.workspace_id', '=', 'o.workspace_id').onRef('d.id', '=', 'o.dataset_id'),
    )
    .where('o.workspace_id', '=', workspaceId)
    .where(({ or, eb }) => or([eb('d.test_drawn_at', 'is', null), eb('o.opened_at', '>', eb.ref('d.test_drawn_at'))]))
}

/** When the test split was drawn again, and how often those before had decided. */
export async function findDrawnTest(q: Queries, { workspaceId, datasetId }: NamedDataset) {
  const row = await selectScoped(q, 'datasets', { workspace_id: workspaceId, id: datasetId })
    .select(['test_drawn_at as drawnAt', 'earlier_openings as earlierOpenings'])
    .executeTakeFirst()
  return { drawnAt: row?.drawnAt ?? null, earlierOpenings: row?.earlierOpenings ?? 0 }
}

/** The dataset is locked. */
export async function setDrawnTest(
  tx: Queries,
  { workspaceId, datasetId }: NamedDataset,
  { drawnAt, earlierOpenings }: { drawnAt: string; earlierOpenings: number },
): Promise<void> {
  await updateScoped(tx, 'datasets', { workspace_id: workspaceId, id: datasetId })
    .set({ test_drawn_at: drawnAt, earlier_openings: earlierOpenings })
    .execute()
}

/** Without that of the subject. */
export async function countOtherOpenings(
  q: Queries,
  { workspaceId, datasetId, subject }: NamedDataset & { subject: string },
): Promise<number> {
  const { count } = await selectScoped(q, 'test_openings', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('subject', '!=', subject)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** The trial that has started all of these evaluations; undefined if there is none. */
export async function findTrialOfEvaluations(
  q: Queries,
  workspaceId: string,
  evaluationIds: readonly string[],
): Promise<string | undefined> {
  const ids = [...new Set(evaluationIds)]
  const row = await selectScoped(q, 'trial_variants', { workspace_id: workspaceId })
    .select('trial_id as trialId')
    .where('evaluation_id', 'in', ids)
    .groupBy('trial_id')
    .having(({ fn }) => fn.countAll(), '=', ids.length)
    .executeTakeFirst()
  return row?.trialId
}
