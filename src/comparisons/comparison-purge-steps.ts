import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

const key = ['workspace_id', 'baseline_run_id', 'candidate_run_id']

/** A pair of runs is forgotten when one of them is deleted. */
export const comparisonPurgeSteps: readonly PurgeStep[] = ['baseline_run_id', 'candidate_run_id'].map((column) => ({
  table: 'comparison_looks',
  key,
  rows: {
    workspace: everyRow,
    component: columnIn(column, 'runs', columnIs('component_id')),
    dataset: columnIn(column, 'runs', columnIs('dataset_id')),
    run: columnIs(column),
  },
}))
