import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

const looksKey = ['workspace_id', 'baseline_run_id', 'candidate_run_id']
const preferencesKey = ['workspace_id', 'first_run_id', 'second_run_id', 'item_id', 'repetition', 'user_id']

/** A pair of runs is forgotten when one of them is deleted. */
export const comparisonPurgeSteps: readonly PurgeStep[] = [
  ...['baseline_run_id', 'candidate_run_id'].map(
    (column): PurgeStep => ({ table: 'comparison_looks', key: looksKey, rows: rowsOfRun(column) }),
  ),
  ...['first_run_id', 'second_run_id'].map(
    (column): PurgeStep => ({ table: 'comparison_preferences', key: preferencesKey, rows: rowsOfRun(column) }),
  ),
]

function rowsOfRun(column: string): PurgeStep['rows'] {
  return {
    workspace: everyRow,
    component: columnIn(column, 'runs', columnIs('component_id')),
    dataset: columnIn(column, 'runs', columnIs('dataset_id')),
    run: columnIs(column),
  }
}
