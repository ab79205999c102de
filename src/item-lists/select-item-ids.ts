import type { Principal } from '../base/principal.ts'
import type { DatasetScope } from '../datasets/items/item-queries.ts'
import type { Db, Queries } from '../storage/db.ts'
import type { ReadNearDuplicates } from './find-near-duplicates.ts'
import {
  listConflictIds,
  listDuplicateIds,
  listNeverRunIds,
  listOpeningSubjects,
  listReadTestIds,
  listWithoutExpectedIds,
} from './item-check-queries.ts'
import type { HealthCheck, ItemFilter } from './item-filters.ts'
import { listFailingIds, listTurnedIds } from './item-result-queries.ts'
import { type RunColumns, readRunColumns, turningMetric } from './read-run-columns.ts'

/** Older openings have read the same items, as a rule. */
const OPENINGS_READ_MAX = 500

export type ItemReads = {
  db: Pick<Db, 'inReadWorker'>
  q: Queries
  signal: AbortSignal
  readNearDuplicates: ReadNearDuplicates
}

/** The items that a filter selects, oldest first. */
export async function selectItemIds(
  reads: ItemReads,
  by: Principal,
  scope: DatasetScope,
  filter: ItemFilter,
): Promise<string[]> {
  switch (filter) {
    case 'turned_to_fail':
    case 'turned_to_pass':
    case 'failing':
      return selectByResult(reads.q, scope.workspaceId, await readRunColumns(reads.q, by, scope.datasetId), filter)
    default:
      return selectByCheck(reads, scope, filter)
  }
}

export async function selectByResult(
  q: Queries,
  workspaceId: string,
  columns: RunColumns,
  filter: 'turned_to_fail' | 'turned_to_pass' | 'failing',
): Promise<string[]> {
  if (filter === 'failing') {
    const newest = columns.columns.at(-1)
    const metric = newest?.metrics.find(({ name }) => name === newest.headline)
    return metric ? listFailingIds(q, { workspaceId, evaluator: metric.name, evaluationId: metric.evaluationId }) : []
  }
  const metric = turningMetric(columns)
  if (!metric) return []
  const { evaluator, newest, previous } = metric
  const [passedIn, failedIn] = filter === 'turned_to_fail' ? [previous, newest] : [newest, previous]
  return listTurnedIds(q, { workspaceId, evaluator, passedIn, failedIn })
}

export async function selectByCheck(
  { db, q, signal, readNearDuplicates }: ItemReads,
  scope: DatasetScope,
  check: HealthCheck,
): Promise<string[]> {
  switch (check) {
    case 'duplicates':
      return listDuplicateIds(q, scope)
    case 'conflicts':
      return listConflictIds(q, scope)
    case 'without_expected':
      return listWithoutExpectedIds(q, scope)
    case 'never_run':
      return listNeverRunIds(q, scope)
    case 'test_read':
      return selectReadTest(q, scope)
    case 'near_duplicates': {
      const { pairs } = await readNearDuplicates(db, q, scope, signal)
      return [...new Set(pairs.flatMap(({ id, similarTo }) => [id, similarTo]))].sort()
    }
  }
}

async function selectReadTest(q: Queries, scope: DatasetScope): Promise<string[]> {
  const subjects = await listOpeningSubjects(q, scope, OPENINGS_READ_MAX)
  if (subjects.length === 0) return []
  const parts = subjects.map((subject) => subject.split(':'))
  const evaluationIds = parts.flatMap(([kind, first, second, , fourth]) =>
    kind === 'evaluation' ? [first] : [second, fourth],
  )
  const runIds = parts.flatMap(([kind, first, , third]) => (kind === 'evaluation' ? [] : [first, third]))
  return listReadTestIds(q, scope, { evaluationIds: namedOf(evaluationIds), runIds: namedOf(runIds) })
}

function namedOf(ids: readonly (string | undefined)[]): string[] {
  return [...new Set(ids)].filter((id) => id !== undefined && id !== '').map(String)
}
