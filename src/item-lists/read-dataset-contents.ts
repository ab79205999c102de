import type { Principal } from '../base/principal.ts'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import { SPLITS } from '../datasets/splits/split.ts'
import { describeTestSet } from '../datasets/splits/test-openings.ts'
import type { Queries } from '../storage/db.ts'
import { ITEM_SOURCES } from './item-filters.ts'
import { countBySplitAndSource, findLastChange } from './item-row-queries.ts'
import { readRunColumns, turningMetric } from './read-run-columns.ts'
import { selectByResult } from './select-item-ids.ts'

/** What a dataset consists of, and what has turned between its two newest evaluated runs. */
export async function readDatasetContents(q: Queries, by: Principal, scope: DatasetScope) {
  const counts = await countBySplitAndSource(q, scope)
  const sum = (isCounted: (row: (typeof counts)[number]) => boolean) =>
    counts.filter(isCounted).reduce((total, { count }) => total + count, 0)
  const { at = null, userId = null } = (await findLastChange(q, scope)) ?? {}
  const columns = await readRunColumns(q, by, scope.datasetId)
  const turned = async (filter: 'turned_to_fail' | 'turned_to_pass' | 'failing') =>
    (await selectByResult(q, scope.workspaceId, columns, filter)).length
  return {
    items: sum(() => true),
    splits: {
      ...countsOf(SPLITS, (split) => sum((row) => row.split === split)),
      none: sum((row) => row.split === null),
    },
    sources: countsOf(ITEM_SOURCES, (source) => sum((row) => row.source === source)),
    changedAt: at,
    changedBy: userId,
    testSet: await describeTestSet(q, scope),
    turnedBy: turningMetric(columns)?.evaluator ?? null,
    turnedToFail: await turned('turned_to_fail'),
    turnedToPass: await turned('turned_to_pass'),
    failing: await turned('failing'),
  }
}

function countsOf<Name extends string>(names: readonly Name[], count: (name: Name) => number) {
  // `fromEntries` loses the names.
  return Object.fromEntries(names.map((name) => [name, count(name)])) as Record<Name, number>
}
