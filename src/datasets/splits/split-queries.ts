import type { Page } from '../../base/page.ts'
import type { Queries } from '../../storage/db.ts'
import { lockForShare } from '../../storage/dialect.ts'
import { listPage } from '../../storage/list-page.ts'
import { selectScoped } from '../../storage/query-building.ts'
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
 * was deleted in the meantime: a row that is added during the purge would keep the dataset.
 */
export async function insertTestOpening(
  tx: Queries,
  { workspaceId, datasetId, subject, now }: NamedDataset & { subject: string; now: string },
): Promise<void> {
  const active = activeDatasets(tx)
    .select('d.id')
    .where('d.workspace_id', '=', workspaceId)
    .where('d.id', '=', datasetId)
  if (!(await lockForShare(tx, active).executeTakeFirst())) return
  await tx
    .insertInto('test_openings')
    .values({ workspace_id: workspaceId, dataset_id: datasetId, subject, opened_at: now })
    .onConflict((own) => own.columns(['workspace_id', 'dataset_id', 'subject']).doNothing())
    .execute()
}

export async function hasTestOpening(
  q: Queries,
  { workspaceId, datasetId, subject }: NamedDataset & { subject: string },
): Promise<boolean> {
  const row = await selectScoped(q, 'test_openings', { workspace_id: workspaceId, dataset_id: datasetId, subject })
    .select('subject')
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

export async function countTestOpenings(q: Queries, { workspaceId, datasetId }: NamedDataset): Promise<number> {
  const { count } = await selectScoped(q, 'test_openings', { workspace_id: workspaceId, dataset_id: datasetId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
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
