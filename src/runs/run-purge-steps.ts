import { columnIn, columnIs, everyRow } from '../purge/purge-queries.ts'
import type { PurgeStep } from '../purge/purge-step.ts'

/** Rows that refer to a run by `run_id`. */
export const rowsOfRuns: PurgeStep['rows'] = {
  workspace: everyRow,
  component: columnIn('run_id', 'runs', columnIs('component_id')),
  dataset: columnIn('run_id', 'runs', columnIs('dataset_id')),
  run: columnIs('run_id'),
}

export const runPurgeSteps: readonly PurgeStep[] = [
  { table: 'run_traces', key: ['workspace_id', 'run_id', 'trace_ref'], rows: rowsOfRuns },
  {
    table: 'runs',
    key: ['workspace_id', 'id'],
    rows: {
      workspace: everyRow,
      component: columnIs('component_id'),
      dataset: columnIs('dataset_id'),
      run: columnIs('id'),
    },
  },
]
